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
	links := e.Place()
	if links.Prev == none {
		l.Head = links.Next
	} else {
		links.Prev.Place().Next = links.Next
	}
	if links.Next == none {
		l.Tail = links.Prev
	} else {
		links.Next.Place().Prev = links.Prev
	}
	*links = Neighbours[E]{}
	l.Count--
}
