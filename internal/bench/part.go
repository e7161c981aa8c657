package bench

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"
)

// A partConfig is the first message to a part.
type partConfig struct {
	URL     string       // of the nats-server
	Server  serverConfig // of a server
	Plans   int          // their number, at most
	Library bool         // a worker of our library, not one of ten lines
	Least   bool         // executions and results are those of the least loop
	Sampled sampling
	Loop    BareLeast
}

// An order is a later message to a part.
type order struct {
	Do   string // a command of its role
	Load load   // of a publisher
	N    int64
}

// A partReply is a part's answer.
type partReply struct {
	Err     string
	URL     string // of a server
	N       int64  // its count so far
	Other   int64  // of an observer: results that are not ok
	Settled int64  // of an observer: settled occurrences of plans that are no probes
	Samples []sample
	Plans   []planCount // by plan
}

// A part is one role of an installation in a process of its own.
type part interface {
	do(ctx context.Context, o order) (partReply, error)
	close() error
}

// The commands of every counting part: to return its count, to return it when it has reached
// N, and to return all its counts and samples.
const (
	doCount   = "count"
	doAwait   = "await"
	doFinish  = "finish"
	doImport  = "import" // of a publisher
	doClose   = "close"
	doSettled = "settled" // of an observer: answer when N occurrences of plans that are no probes are settled
)

var roles = map[string]func(ctx context.Context, c partConfig) (part, partReply, error){
	"server": newServerPart, "least": newLeastPart, "worker": newWorkerPart,
	"observer": newObserverPart, "publisher": newPublisherPart,
}

// Part runs this process as one part of a measured installation: it reads orders from in, and
// answers on out, until in ends. [Options.Part] runs it.
func Part(ctx context.Context, role string, in io.Reader, out io.Writer) (err error) {
	start, ok := roles[role]
	if !ok {
		return fmt.Errorf("there is no role %q", role)
	}
	orders, replies := gob.NewDecoder(in), gob.NewEncoder(out)
	var c partConfig
	if err := orders.Decode(&c); err != nil {
		return fmt.Errorf("read the part: %w", err)
	}
	p, first, err := start(ctx, c)
	if err != nil {
		return errors.Join(err, replies.Encode(partReply{Err: err.Error()}))
	}
	defer func() { err = errors.Join(err, p.close()) }()
	if err := replies.Encode(first); err != nil {
		return fmt.Errorf("say that it is ready: %w", err)
	}
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read an order: %w", err)
		}
		w, failed := p.do(ctx, o)
		if failed != nil {
			w.Err = failed.Error()
		}
		if err := replies.Encode(w); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
}

// A sample has the times of one execution at a worker, or an observer, in nanoseconds since
// 1970. They can be compared, because all parts run on one machine, with one clock.
type sample struct {
	Plan, N int64
	Due     int64 // its plan_time; of a worker that gets it
	Came    int64 // when it arrived
	Ended   int64 // when the worker had answered
}

// A sampling selects the executions that are kept as samples: those of the first Probe plans,
// and of the others one in Every. It goes by plan and number, so that worker and observer keep
// the same ones.
type sampling struct{ Probe, Every int64 }

func (s sampling) keeps(plan int, n int64) bool {
	return int64(plan) < s.Probe || s.Every > 0 && (n+int64(plan))%s.Every == 0
}

// A planCount is a part's count of the executions of one plan, and the sum of their numbers. Two
// parts that agree in both have seen the same executions.
type planCount struct{ N, Sum int64 }

// A load is plans that a publisher creates.
type load struct {
	First, Plans int
	Again        bool      // each is due again as soon as it is settled
	At           time.Time // all are due then, once; otherwise each is due every second
	Start        time.Time // of the first second; the plans are spread over it
	Seconds      int64     // the number of times that each is due; 0: for ever
}
