package forward

import (
	"errors"
	"log/slog"
	"testing"

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
			if tt.manned {
				sub, err := line.Subscribe(incident.New(log, metrics.New("")))
				if err != nil {
					t.Fatal(err)
				}
				defer sub.Leave()
				if tt.leader != nil {
					sub.Lead(tt.leader)
				}
			}
			if sign := line.Probe(t.Context()); sign != tt.sign {
				t.Errorf("the sign is %d, want %d", sign, tt.sign)
			}
			answer, err := line.Ask(t.Context(), command.PausePlan{Name: schema.PlanName{Station: "s", PlanID: "p"}})
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
