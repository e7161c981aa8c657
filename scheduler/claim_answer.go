package scheduler

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// handOut ends a claim with its executions. If items have to be read back first it does not block.
func (l *leader) handOut(e event.ClaimGranted) {
	to, ok := e.To.(*call)
	if !ok {
		return
	}
	if slices.ContainsFunc(e.Executions, func(x *event.Outgoing) bool { return x.Items > 0 }) {
		l.background(func() { to.finish(l.claimedWork(new(encoder), e), nil) }, func(number string) {
			l.refuseTo(to, number)
			for _, x := range e.Executions {
				l.after.add(x.NotSent())
			}
		})
		return
	}
	to.finish(l.claimedWork(&l.encoder, e), nil)
}

// claimedWork encodes the answer to a claim. An execution whose items cannot be read is left out,
// because it comes back when its time is up.
func (l *leader) claimedWork(w *encoder, e event.ClaimGranted) command.ClaimedWork {
	out := command.ClaimedWork{Executions: make([]command.ClaimedExecution, 0, len(e.Executions))}
	for i, x := range e.Executions {
		var items []wire.Value
		if x.Items > 0 {
			var err error
			if items, err = l.storage.Read(l.reading, itemsOf(x)); err != nil {
				l.log.Error("items of a claimed execution could not be read back; it can be claimed again when its time is up",
					"plan", x.Name.String(), "error", err)
				l.after.add(x.NotSent())
				continue
			}
		}
		if left, report := x.Leave(time.Now()); report {
			l.after.add(left)
		}
		c := l.claimed(x)
		if len(e.Views) > 0 {
			c.View = e.Views[i]
		} else {
			body := executionOf(x, items)
			value := w.write(x, &body)
			c.Body = wire.Trust(value.Encoding(), slices.Clone(value.Raw())) // because the encoder is used again
		}
		out.Executions = append(out.Executions, c)
	}
	l.meter.Claimed(len(out.Executions))
	return out
}

// claimed identifies an execution and its reply subject.
func (l *leader) claimed(x *event.Outgoing) command.ClaimedExecution {
	reply := l.config.Space.Reply(l.index, x.Name.Station, x.Name.PlanID, execName(x))
	l.listener.Expect(reply)
	return command.ClaimedExecution{
		ClaimedName: command.ClaimedName{Name: x.Name, N: x.N, Nonce: string(x.Nonce.AppendHex(nil))},
		Occurrence:  x.Occurrence, Attempt: x.Attempt, Priority: x.Priority, Named: x.Named, PlanTime: x.PlanTime,
		Reply: reply,
	}
}
