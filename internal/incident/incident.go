package incident

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"

	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// written and writtenAtOnce bound the lines, each of which has a stack of some kilobytes,
	// so that a client with a request that panics does not fill the disk.
	written       = 1 // a second, of each place
	writtenAtOnce = 20
	// longestFault bounds the fault in a line, longestStack its stack, in bytes.
	longestFault = 1 << 10
	longestStack = 16 << 10
)

// A Reporter reports panics. It is safe for concurrent use.
type Reporter struct {
	log    *slog.Logger
	panics *metrics.Panics
	about  []any // attributes of each line

	mu     sync.Mutex
	places map[metrics.Place]*place
}

// place has the state of one place's log.
type place struct {
	limit  *rate.Limiter
	last   string // the number that was last written
	silent int    // how many were not written since
}

// New returns a reporter that writes to log and counts in set. About are attributes of each
// line, as with slog.
func New(log *slog.Logger, set *metrics.Set, about ...any) *Reporter {
	return &Reporter{log: log, panics: set.Panics, about: about, places: map[metrics.Place]*place{}}
}

// Report logs and counts a panic that was recovered at a place, and returns its number. It is
// called by the deferred function that recovered it, so that the stack is that of the panic.
// The rate of lines is limited; a panic without one has the number of the last line at the
// same place.
func (r *Reporter) Report(at metrics.Place, fault any, about ...any) (number string) {
	r.panics.Contained(at)
	stack := debug.Stack()
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.places[at]
	if p == nil {
		p = &place{limit: rate.NewLimiter(written, writtenAtOnce)}
		r.places[at] = p
	}
	if !p.limit.Allow() {
		p.silent++
		return p.last
	}
	number = fmt.Sprintf("%010d", rand.Uint64N(1e10))
	line := append([]any{"incident", number, "at", string(at), "panic", cut(fmt.Sprint(fault), longestFault)}, r.about...)
	line = append(line, about...)
	if p.silent > 0 {
		line = append(line, "unlogged", p.silent)
	}
	r.log.Error("the scheduler failed, and goes on without the cause; please report this line",
		append(line, "stack", cut(string(stack), longestStack))...)
	p.last, p.silent = number, 0
	return number
}

// Contain runs f, which reads a message or answers one, and contains its panic; otherwise, if
// it is not nil, is then called with the number.
func (r *Reporter) Contain(at metrics.Place, f func(), otherwise func(number string)) {
	defer func() {
		if fault := recover(); fault != nil {
			number := r.Report(at, fault)
			if otherwise != nil {
				otherwise(number)
			}
		}
	}()
	f()
}

// Guard returns f, a goroutine, with a panic turned into its error.
func (r *Reporter) Guard(at metrics.Place, f func() error) func() error {
	return func() (err error) {
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("incident %s", r.Report(at, fault))
			}
		}()
		return f()
	}
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// Refusal is the error for the client of a request that panicked.
func Refusal(number string) *schema.Error {
	return &schema.Error{
		Code: schema.CodeInternal,
		Message: "the scheduler failed at this request, incident " + number +
			"; tell your operator the number, under which its log has the cause",
	}
}
