package bench

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"
)

// A partConfig is what a part is told first.
type partConfig struct {
	URL     string       // of the nats-server
	Server  serverConfig // of a server
	Plans   int          // how many there are, at most
	Library bool         // a worker of our library, not one of ten lines
	Least   bool         // what is worked at and heard is that of the least loop
	Sampled sampling
	Loop    BareLeast
}

// An order is what a part is told to do then.
type order struct {
	Do   string // a word that its role knows
	Load load   // of a publisher
	N    int64
}

// A word is a part's answer.
type word struct {
	Err     string
	URL     string // of a server
	N       int64  // how many it has counted so far
	Other   int64  // of an observer: results that are not ok
	Settled int64  // of an observer: occurrences of plans that are no probes which its results are of
	Samples []sample
	Plans   []planCount // by plan
}

// A part is one role of an installation in a process of its own.
type part interface {
	do(ctx context.Context, o order) (word, error)
	close() error
}

// What every counting part is told: to say its number, to say it when it is N, and to say
// all that it knows.
const (
	doCount   = "count"
	doAwait   = "await"
	doFinish  = "finish"
	doImport  = "import" // of a publisher
	doClose   = "close"
	doSettled = "settled" // of an observer: say when N occurrences are over of plans that are no probes
)

var roles = map[string]func(ctx context.Context, c partConfig) (part, word, error){
	"server": newServerPart, "least": newLeastPart, "worker": newWorkerPart,
	"observer": newObserverPart, "publisher": newPublisherPart,
}

// Part is this process as one part of an installation that is measured: it is told what to
// do on in, and answers on out, until in ends. [Options.Part] runs it.
func Part(ctx context.Context, role string, in io.Reader, out io.Writer) (err error) {
	start, ok := roles[role]
	if !ok {
		return fmt.Errorf("there is no role %q", role)
	}
	orders, words := gob.NewDecoder(in), gob.NewEncoder(out)
	var c partConfig
	if err := orders.Decode(&c); err != nil {
		return fmt.Errorf("read what to be: %w", err)
	}
	p, first, err := start(ctx, c)
	if err != nil {
		return errors.Join(err, words.Encode(word{Err: err.Error()}))
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if err := words.Encode(first); err != nil {
		return fmt.Errorf("say that it is ready: %w", err)
	}
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read what to do: %w", err)
		}
		w, failed := p.do(ctx, o)
		if failed != nil {
			w.Err = failed.Error()
		}
		if err := words.Encode(w); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
}

// A sample is one execution as a worker, or an observer, has seen it, in nanoseconds since
// 1970: all parts run on one machine, so they have one clock.
type sample struct {
	Plan, N int64
	Due     int64 // its plan_time; of a worker that is told it
	Came    int64 // when it was there
	Ended   int64 // when the worker had answered
}

// A sampling says which executions are kept as samples: those of the first Probe plans, and
// of the others one in Every. It is decided by plan and number, so that worker and observer
// keep the same ones.
type sampling struct{ Probe, Every int64 }

func (s sampling) keeps(plan int, n int64) bool {
	return int64(plan) < s.Probe || s.Every > 0 && (n+int64(plan))%s.Every == 0
}

// A planCount is what a part has seen of one plan: how many executions, and the sum of
// their numbers. Two parts that agree in both have seen the same ones.
type planCount struct{ N, Sum int64 }

// A load is plans that a publisher creates.
type load struct {
	First, Plans int
	Again        bool      // each is due again as soon as it is settled
	At           time.Time // all are due then, once; otherwise each is due every second
	Start        time.Time // of the first second; the plans are spread over it
	Seconds      int64     // how often each is due; 0: for ever
}
