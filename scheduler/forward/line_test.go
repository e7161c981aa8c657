package forward

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
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

func (s stub) Take(_ schema.Command, _ time.Time, answer func(any, error)) {
	if s.panics {
		panic("planted")
	}
	go answer(s.answer, s.err)
}

// Who asks another node is told what its leader says, and learns whether somebody leads.
func TestWhatALeaderElsewhereSays(t *testing.T) {
	conn, log := brokertest.Connect(t, brokertest.Server(t)), slog.New(slog.DiscardHandler)
	standing := schema.Standing{PlanID: "p", Station: "s", State: schema.StatusPaused}
	refused := &schema.Error{Code: schema.CodeNotFound, Message: "gone"}
	for _, tt := range []struct {
		name   string
		manned bool
		leader Leader // nil: nobody leads from the post
		sign   Sign
		answer any
		err    error
	}{
		{"nobody", false, nil, Nobody, nil, ErrNobody},
		{"who takes over", true, nil, Manned, nil, ErrElsewhere},
		{"who leads", true, stub{answer: standing}, Leads, standing, nil},
		{"who refuses", true, stub{err: refused}, Leads, nil, refused},
		{"who stopped leading", true, stub{err: ErrElsewhere}, Leads, nil, ErrElsewhere},
		{"who cannot write", true, stub{stuck: true, answer: standing}, Stuck, standing, nil},
		{"who panics", true, stub{panics: true}, Leads, nil, schema.CodeInternal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := NewLine(conn, schema.Space{}, 0, log)
			if tt.manned {
				post, err := line.Man(incident.New(log, metrics.New("")))
				if err != nil {
					t.Fatal(err)
				}
				defer post.Leave()
				if tt.leader != nil {
					post.Lead(tt.leader)
				}
			}
			if sign := line.Look(t.Context()); sign != tt.sign {
				t.Errorf("the sign is %d, want %d", sign, tt.sign)
			}
			answer, err := line.Ask(t.Context(), schema.PausePlan{Name: schema.PlanName{Station: "s", PlanID: "p"}})
			var said, want *schema.Error
			switch {
			case errors.As(tt.err, &want):
				if !errors.As(err, &said) || said.Code != want.Code {
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
	if !errors.Is(ErrNobody, ErrElsewhere) {
		t.Error("where nobody leads, a command cannot be sent again")
	}
}
