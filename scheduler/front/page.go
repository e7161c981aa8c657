package front

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	defaultLimit = 100
	maxLimit     = 1000
	// maxPage is where an answer stops, in bytes.
	maxPage = 512 << 10
)

// limitOf returns how many entries a page of a list may have; 0: the default.
func limitOf(given int64) int {
	if given == 0 {
		return defaultLimit
	}
	return int(given)
}

// paging reads the parameters of a page: the place behind which it begins, which parse reads
// from a cursor, and its number of entries.
func paging[P any](r *request, limit int64, cursor string, parse func(string) (P, bool)) (behind P, most int, err error) {
	behind, ok := parse(cursor)
	if !ok {
		return behind, 0, r.invalid("cursor", "cursor is none that a page ended with; leave it out to begin anew")
	}
	return behind, limitOf(limit), nil
}

// A page gathers the answer to a list.
type page struct {
	w     *wire.Writer
	enc   wire.Encoding
	limit int
	count int
	total *count // of all pages; nil: it was not asked for
	tells bool   // it says lookedAt, which is 0 unless the search ended early
	// lookedAt is how many plans were looked at.
	lookedAt int
}

// newPage begins a page of at most limit entries: {"<noun>":[…
func newPage(enc wire.Encoding, noun wire.Name, limit int) *page {
	p := &page{w: wire.NewWriter(enc, nil), enc: enc, limit: limit}
	p.w.BeginMap()
	p.w.Key(noun)
	p.w.BeginList()
	return p
}

// add enters v, unless the page is full. The first entry always finds room.
func (p *page) add(v wire.Value) bool {
	if p.count == p.limit {
		return false
	}
	v = v.In(p.enc)
	if p.count > 0 && len(p.w.Bytes())+len(v.Raw()) > maxPage {
		return false
	}
	p.w.Value(v)
	p.count++
	return true
}

// end returns the answer. An empty next marks the last page.
func (p *page) end(next string) encoded {
	p.w.EndList()
	if next != "" {
		p.w.Key("next")
		p.w.Text(next)
	}
	if p.total != nil {
		p.w.Key("total")
		p.w.Int(p.total.plans)
		if p.total.partial {
			p.w.Key("total_complete")
			p.w.Bool(false)
		}
	}
	if p.lookedAt > 0 {
		p.endLook(p.lookedAt, false)
	}
	p.w.EndMap()
	return p.w.Bytes()
}

func (p *page) endLook(lookedAt int, complete bool) {
	p.w.Key("looked_at")
	p.w.Int(int64(lookedAt))
	p.w.Key("complete")
	p.w.Bool(complete)
}

// endSearch returns the answer of a search that looked at so many entries; complete: it was not cut
// off by its time.
func (p *page) endSearch(next string, lookedAt int, complete bool) encoded {
	p.w.EndList()
	if next != "" {
		p.w.Key("next")
		p.w.Text(next)
	}
	p.endLook(lookedAt, complete)
	p.w.EndMap()
	return p.w.Bytes()
}

// endAfter returns the answer, with a retry_after_ms unless again is 0.
func (p *page) endAfter(again time.Duration) encoded {
	p.w.EndList()
	if again > 0 {
		p.w.Key("retry_after_ms")
		p.w.Int(again.Milliseconds())
	}
	p.w.EndMap()
	return p.w.Bytes()
}

// mostEntry is how large an entry may be that is alone on its page.
func (f *Front) mostEntry() int { return f.mostBytes() - 1<<10 }

// without leaves out members of a map.
func without(v wire.Value, names ...string) wire.Value {
	w := wire.NewWriter(v.Encoding(), make([]byte, 0, len(v.Raw())))
	w.BeginMap()
	for name, member := range v.Map() {
		if !slices.Contains(names, name) {
			w.KeyText(name)
			w.Value(member)
		}
	}
	w.EndMap()
	return w.Whole()
}

// shorten leaves out the largest members of a map, as many as it takes until no
// more than so many bytes are left.
func shorten(v wire.Value, most int) wire.Value {
	for len(v.Raw()) > most {
		largest, size := "", -1
		for name, member := range v.Map() {
			if n := len(member.Raw()); n > size {
				largest, size = name, n
			}
		}
		if size < 0 {
			return v
		}
		v = without(v, largest)
	}
	return v
}
