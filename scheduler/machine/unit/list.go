package unit

// A List keeps elements in the order in which they were pushed. Each element contains its own
// links, so that a list allocates nothing and an element leaves from anywhere in constant time;
// an element is in one list at a time.
type List[E Placed[E]] struct {
	Head, Tail E
	Count      int
}

// Placed is a pointer to an element with links.
type Placed[E any] interface {
	comparable
	Place() *Neighbours[E]
}

// Neighbours are the links of an element: the elements before and after it.
type Neighbours[E any] struct{ Prev, Next E }

// Place returns the links themselves.
func (n *Neighbours[E]) Place() *Neighbours[E] { return n }

// Push appends e.
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

// Drop removes e.
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
