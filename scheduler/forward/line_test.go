package forward

import (
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// A stub is a leader that answers every command alike.
type stub struct {
	stuck  bool
	answer any
	err    error
	panics bool
}

func (s stub) Stuck() bool { return s.stuck }

func (s stub) Take(_ command.Dated, answer func(any, error)) {
	if s.panics {
		panic("planted")
	}
	go answer(s.answer, s.err)
}

// A node that forwards a command gets the leader's answer, and a probe shows whether there is
// a leader.
func TestAnswerOfALeaderElsewhere(t *testing.T) {
	conn, log := brokertest.Connect(t, brokertest.Server(t)), slog.New(slog.DiscardHandler)
	standing := schema.Standing{PlanID: "p", Station: "s", State: schema.StatusPaused}
	refused := &schema.Error{Code: schema.CodeNotFound, Message: "gone"}
	for _, tt := range []struct {
		name   string
		manned bool
		leader Leader // nil: the subscription has no leader
		sign   Sign
		answer any
		err    error
	}{
		{"no subscription", false, nil, Vacant, nil, ErrNoLeader},
		{"a node that takes over", true, nil, NotLeading, nil, ErrElsewhere},
		{"a leader", true, stub{answer: standing}, Leads, standing, nil},
		{"a leader that refuses", true, stub{err: refused}, Leads, nil, refused},
		{"a leader that has stopped", true, stub{err: ErrElsewhere}, Leads, nil, ErrElsewhere},
		{"a leader that cannot write", true, stub{stuck: true, answer: standing}, Stuck, standing, nil},
		{"a leader that panics", true, stub{panics: true}, Leads, nil, schema.CodeInternal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := NewLine(conn, schema.Space{}, 0, log)
			defer line.Close()
			if tt.manned {
				sub, err := line.Subscribe(incident.New(log, metrics.New("")))
				if err != nil {
					t.Fatal(err)
				}
				defer sub.Leave()
				sub.Refer()
				if tt.leader != nil {
					sub.Lead(tt.leader)
				}
			}
			if sign := line.Probe(t.Context()); sign != tt.sign {
				t.Errorf("the sign is %d, want %d", sign, tt.sign)
			}
			sent, err := line.Send(command.PausePlan{Name: schema.PlanName{Station: "s", PlanID: "p"}})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := sent.Answer(t.Context())
			var got, want *schema.Error
			switch {
			case errors.As(tt.err, &want):
				if !errors.As(err, &got) || got.Code != want.Code {
					t.Errorf("it fails with %v, want %v", err, tt.err)
				}
			case !errors.Is(err, tt.err):
				t.Errorf("it fails with %v, want %v", err, tt.err)
			}
			if answer != tt.answer {
				t.Errorf("the answer is %v, want %v", answer, tt.answer)
			}
		})
	}
	if !errors.Is(ErrNoLeader, ErrElsewhere) {
		t.Error("without a leader, a command cannot be sent again")
	}
}

// recorder is a leader that takes note of the plans that it is asked for.
type recorder struct{ taken []string }

func (*recorder) Stuck() bool { return false }

func (r *recorder) Take(c command.Dated, answer func(any, error)) {
	name := c.Command.(command.ResumePlan).Name
	r.taken = append(r.taken, name.PlanID)
	answer(schema.Standing{PlanID: name.PlanID}, nil)
}

// A command that a node refused, because it did not lead yet, is passed by none that was sent
// after it on the same line, although the node leads by then. Other lines are not held up.
func TestNoCommandPassesOneThatComesAgain(t *testing.T) {
	conn, log := brokertest.Connect(t, brokertest.Server(t)), slog.New(slog.DiscardHandler)
	line, other := NewLine(conn, schema.Space{}, 0, log), NewLine(conn, schema.Space{}, 0, log)
	defer line.Close()
	defer other.Close()
	sub, err := line.Subscribe(incident.New(log, metrics.New("")))
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Leave()
	ask := func(l *Line, id string) error {
		t.Helper()
		sent, err := l.Send(command.ResumePlan{Name: schema.PlanName{Station: "s", PlanID: id}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = sent.Answer(t.Context())
		return err
	}
	sub.Refer()
	first := ask(line, "1")
	leader := new(recorder)
	sub.Lead(leader)
	second, unrelated := ask(line, "2"), ask(other, "unrelated")
	if !errors.Is(first, ErrElsewhere) || !errors.Is(second, ErrElsewhere) || unrelated != nil {
		t.Errorf("before it leads: %v; then: %v, and on another line: %v", first, second, unrelated)
	}
	if sign := line.Probe(t.Context()); sign != Leads {
		t.Errorf("the sign is %d", sign)
	}
	line.Resume()
	for _, id := range []string{"1", "2"} {
		if err := ask(line, id); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(leader.taken, []string{"unrelated", "1", "2"}) {
		t.Errorf("taken were %v", leader.taken)
	}
}

// lateLeader is a leader that answers after another node has handled the same command.
type lateLeader struct {
	t      *testing.T
	other  *Subscription
	answer any
}

func (lateLeader) Stuck() bool { return false }

func (l lateLeader) Take(_ command.Dated, answer func(any, error)) {
	await(l.t, "handled by the other node", func() bool {
		l.other.mu.Lock()
		defer l.other.mu.Unlock()
		return len(l.other.pending)+len(l.other.referred) > 0
	})
	answer(l.answer, nil)
}

// await returns when is holds, and reports an error if it does not within ten seconds.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Errorf("it was not %s within 10 s", what)
			return
		}
	}
}

// A command that two nodes received, of which one has carried it out, is not sent again, because the
// one that takes over does not answer until it is certain of the other. A create that came twice
// would run a plan again that ended in between.
func TestACommandThatAnEarlierLeaderTookIsNotSentAgain(t *testing.T) {
	conn, log := brokertest.Connect(t, brokertest.Server(t)), slog.New(slog.DiscardHandler)
	line := NewLine(conn, schema.Space{}, 0, log)
	defer line.Close()
	subscribe := func() *Subscription {
		sub, err := line.Subscribe(incident.New(log, metrics.New("")))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(sub.Leave)
		return sub
	}
	successor, earlier := subscribe(), subscribe()
	want := schema.Standing{PlanID: "p"}
	earlier.Lead(lateLeader{t, successor, want})
	ask := func() (any, error) {
		sent, err := line.Send(command.ResumePlan{Name: schema.PlanName{Station: "s", PlanID: "p"}})
		if err != nil {
			t.Fatal(err)
		}
		return sent.Answer(t.Context())
	}
	if answer, err := ask(); err != nil || answer != want {
		t.Fatalf("the answer is %v, %v; want that of the earlier leader", answer, err)
	}

	// The commands that wait are answered as soon as it is certain that nobody has taken them.
	earlier.Leave()
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	successor.mu.Lock()
	waiting := len(successor.pending)
	successor.mu.Unlock()
	sent, err := line.Send(command.ResumePlan{Name: schema.PlanName{Station: "s", PlanID: "p"}})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "received", func() bool {
		successor.mu.Lock()
		defer successor.mu.Unlock()
		return len(successor.pending) != waiting
	})
	successor.Refer()
	if answer, err := sent.Answer(t.Context()); !errors.Is(err, ErrElsewhere) {
		t.Errorf("the answer is %v, %v; want ErrElsewhere", answer, err)
	}
}

// A line that is closed sends nothing.
func TestAClosedLineSendsNothing(t *testing.T) {
	line := NewLine(brokertest.Connect(t, brokertest.Server(t)), schema.Space{}, 0, slog.New(slog.DiscardHandler))
	line.Close()
	if _, err := line.Send(command.ListPlans{}); !errors.Is(err, ErrElsewhere) {
		t.Errorf("it fails with %v", err)
	}
}
