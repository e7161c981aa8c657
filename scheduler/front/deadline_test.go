package front_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Every command to a leader has the deadline of its client, because a leader that gets it too
// late, out of a buffer, would carry it out otherwise.
func TestCommandsToALeaderHaveADeadline(t *testing.T) {
	const one = `{"station":"s","plan_id":"p"}`
	for subject, body := range map[string]string{
		"plans.create":          `{"station":"s","plan_id":"p","command":"c"}`,
		"plans.import":          `{"plans":[{"station":"s","plan_id":"p","command":"c"}]}`,
		"plans.restore":         `{"plans":[{"plan":{"station":"s","plan_id":"p","command":"c"}}]}`,
		"plans.push":            `{"station":"s","plan_id":"p","item":1}`,
		"plans.update":          `{"station":"s","plan_id":"p","command":"d"}`,
		"plans.claim.s":         `{"worker_id":"w"}`,
		"plans.get":             one,
		"plans.list":            `{}`,
		"plans.trigger":         one,
		"queues.push":           `{"key":"k","task":1}`,
		"queues.complete":       `{"key":"k","random":"r"}`,
		"queues.release":        `{"key":"k","random":"r"}`,
		"queues.delete":         `{"key":"k"}`,
		"tasks.submit":          `{"type":"t","id":1}`,
		"tasks.fetch":           `{"worker_id":"w","types":["t"]}`,
		"tasks.report":          `{"type":"t","id":1,"exec_id":"1-0123456789abcdef","status":"Success"}`,
		"tasks.cancel":          `{"type":"t","id":1}`,
		"stations.put":          `{"station":"s"}`,
		"periodic_tasks.delete": `{"id":"7"}`,
	} {
		t.Run(subject, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				l := &leader{script: func(partition int, c command.Command) (any, error) {
					c, _ = command.Bare(c)
					return obliging(partition, c)
				}}
				d := openOn(t, ns, l)
				by := time.Now().Add(time.Minute).UTC()
				m := nats.NewMsg(subject)
				m.Data = []byte(body)
				m.Header.Set(schema.HeaderAnswerBy, schema.FormatAnswerBy(by))
				answer, err := d.nc.RequestMsg(m, 30*time.Second)
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				asked := l.commands()
				if len(asked) == 0 {
					t.Fatalf("no leader was asked, and it is answered %s", answer.Data)
				}
				for _, c := range asked {
					bare, until := command.Bare(c)
					switch bare.(type) {
					case command.StopClaim, command.ReturnWork:
						continue // sent without a request
					}
					if !until.Equal(by) {
						t.Errorf("a %T waits until %v", bare, until)
					}
				}
			})
		})
	}
}
