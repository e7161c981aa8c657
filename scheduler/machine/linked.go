package machine

// A linked list keeps elements in the order in which they were pushed. Each brings its
// own place, so that it takes no memory beside and leaves from anywhere at once; it is in
// one list at a time.
type linked[E placed[E]] struct {
	head, tail E
	count      int
}

// placed is a pointer to what has a place in a list.
type placed[E any] interface {
	comparable
	at() *neighbours[E]
}

// neighbours are an element's place: who stands before it and behind it.
type neighbours[E any] struct{ prev, next E }

func (n *neighbours[E]) at() *neighbours[E] { return n }

// push puts e at the end.
func (l *linked[E]) push(e E) {
	var none E
	*e.at() = neighbours[E]{prev: l.tail}
	if l.tail == none {
		l.head = e
	} else {
		l.tail.at().next = e
	}
	l.tail = e
	l.count++
}

// drop takes e out.
func (l *linked[E]) drop(e E) {
	var none E
	place := e.at()
	if place.prev == none {
		l.head = place.next
	} else {
		place.prev.at().next = place.next
	}
	if place.next == none {
		l.tail = place.prev
	} else {
		place.next.at().prev = place.prev
	}
	*place = neighbours[E]{}
	l.count--
}
