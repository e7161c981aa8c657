package image

import (
	"strings"
	"testing"
	"time"

	"github.com/tidwall/btree"
)

// thing has a field of each kind that a machine is made of.
type thing struct {
	name   string
	at     time.Time
	bytes  []byte
	list   []*thing
	byName map[string]*thing
	times  map[*thing]int64
	tree   *btree.BTreeG[*thing]
	set    btree.Set[string]
	sorted btree.Map[string, *thing]
	any    any
	call   func()
}

func byName(a, b *thing) bool { return a.name < b.name }

// newThing makes two equal things that reach each other.
func newThing() *thing {
	a := &thing{
		name: "a\nthing", at: time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC), bytes: []byte("bytes"),
		byName: map[string]*thing{"none": nil}, times: map[*thing]int64{}, tree: btree.NewBTreeG(byName), call: func() {},
	}
	b := &thing{name: "b", any: thing{name: "inside"}}
	a.list, a.byName["b"], a.times[b] = []*thing{a, b}, b, 7
	a.tree.Set(b)
	a.set.Insert("s")
	a.sorted.Set("b", b)
	return a
}

// Two equal structures have one image, at any addresses and with any shape of their trees, and
// each change of a part makes another.
func TestAnImageHasAllParts(t *testing.T) {
	was := Of(nil, newThing())
	for name, change := range map[string]func(*thing){
		"text":             func(a *thing) { a.name = "another" },
		"time":             func(a *thing) { a.at = a.at.Add(1) },
		"bytes":            func(a *thing) { a.bytes[0]++ },
		"bytes left out":   func(a *thing) { a.bytes = nil },
		"order":            func(a *thing) { a.list[0], a.list[1] = a.list[1], a.list[0] },
		"other pointer":    func(a *thing) { b := *a.list[1]; a.list[1] = &b },
		"key":              func(a *thing) { delete(a.byName, "none") },
		"value":            func(a *thing) { a.byName["none"] = a },
		"value of pointer": func(a *thing) { a.times[a.list[1]]++ },
		"item of tree":     func(a *thing) { a.tree.Set(a) },
		"none in tree":     func(a *thing) { a.tree.Delete(a.list[1]) },
		"item of set":      func(a *thing) { a.set.Insert("t") },
		"value in sorted":  func(a *thing) { a.sorted.Set("b", a) },
		"inside":           func(a *thing) { a.list[1].any = thing{name: "another"} },
		"type inside":      func(a *thing) { a.list[1].any = "inside" },
		"no call":          func(a *thing) { a.call = nil },
	} {
		a := newThing()
		change(a)
		if Difference(was, Of(nil, a)) == "" {
			t.Errorf("%s: the change makes no difference", name)
		}
	}
	again := newThing()
	again.tree.Set(again)
	again.tree.Delete(again)
	if differ := Difference(was, Of(nil, again)); differ != "" {
		t.Errorf("equal things differ: %s", differ)
	}
}

// A difference shows the path of the first part that is another.
func TestADifferenceShowsItsPlace(t *testing.T) {
	a := newThing()
	was := Of(nil, a)
	a.times[a.list[1]] = 8
	if differ := Difference(was, Of(nil, a)); !strings.HasPrefix(differ, "was\n\t.times[→ .list[1]] = 7\n") {
		t.Errorf("the difference is %s", differ)
	}
}
