package unit

// A List keeps elements in the order in which they were pushed. Each brings its
// own place, so that it takes no memory beside and leaves from anywhere at once; it is in
// one list at a time.
type List[E Placed[E]] struct {
	Head, Tail E
	Count      int
}

// Placed is a pointer to what has a place in a list.
type Placed[E any] interface {
	comparable
	Place() *Neighbours[E]
}

// Neighbours are an element's place: who stands before it and behind it.
type Neighbours[E any] struct{ Prev, Next E }

func (n *Neighbours[E]) Place() *Neighbours[E] { return n }

// Push puts e at the end.
func (l *List[E]) Push(e E) {
	var none E
	*e.Place() = Neighbours[E]{Prev: l.Tail}
	if l.Tail == none {
		l.Head = e
	} else {
		l.Tail.Place().Next = e
	}
	l.Tail = e
	l.Count++
}

// Drop takes e out.
func (l *List[E]) Drop(e E) {
	var none E
	place := e.Place()
	if place.Prev == none {
		l.Head = place.Next
	} else {
		place.Prev.Place().Next = place.Next
	}
	if place.Next == none {
		l.Tail = place.Prev
	} else {
		place.Next.Place().Prev = place.Prev
	}
	*place = Neighbours[E]{}
	l.Count--
}
