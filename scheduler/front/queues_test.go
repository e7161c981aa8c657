package front_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Each verb about one queue sends one command to the partition of its plan, and answers in the
// terms of queues.
func TestQueues(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		space := schema.Space{Partitions: 4}
		id := queue.PlanID("k")
		at := noon.Add(time.Minute)
		l := &leader{}
		l.script = func(partition int, c command.Command) (any, error) {
			if want := storage.Partition(space, id); partition != want {
				return nil, fmt.Errorf("partition %d was asked instead of %d", partition, want)
			}
			switch c := c.(type) {
			case command.PushItem:
				return schema.Pushed{PlanID: id, Station: "queue", Length: 3, PlanTime: at}, nil
			case command.ClaimItems, command.ListItems:
				items := []wire.Value{value(t, `{"a":[1,null]}`), wire.Text(wire.MsgPack, "x"), wire.Trust(wire.JSON, []byte("null"))}
				return command.Claimed{Items: items, Data: value(t, `{"last":"x"}`), Length: 4}, nil
			case command.CompleteItems:
				return command.InboxLeft{Length: 1, PlanTime: at}, nil
			case command.ReleaseItems:
				return command.InboxLeft{Length: 4, PlanTime: at}, nil
			case command.DropItems:
				return command.InboxLeft{Dropped: 4}, nil
			default:
				return nil, fmt.Errorf("asked for %T", c)
			}
		}
		d := openOn(t, ns, l, func(c *front.Config) { c.Space = space })
		seconds := fmt.Sprint(at.Unix())
		for _, c := range []struct {
			verb, more string
			want       command.Command // nil: a push, which has tests of its own
			answer     string
		}{
			{"push", `,"task":1`, nil, `{"key":"k","length":3,"ontime":` + seconds + `}`},
			{"push", `,"task":null`, nil, `{"key":"k","length":3,"ontime":` + seconds + `}`},
			{"push", `,"task":{"a":1},"data":{"b":2},"ontime":"2026-03-01T12:01:00Z","update":"always","abandon_after":1.5,"method":"post","service":"aHR0cDovL2g"`, nil, `{"key":"k","length":3,"ontime":` + seconds + `}`},
			{"get", `,"random":"r"`, command.ClaimItems{PlanID: id, Number: 1, Timeout: time.Minute, Random: "r"}, `{"key":"k","tasks":[{"a":[1,null]},"x",null],"data":{"last":"x"},"length":4}`},
			{"get", `,"random":7,"number":5,"timeout":0.5`, command.ClaimItems{PlanID: id, Number: 5, Timeout: time.Second / 2, Random: "7"}, `{"key":"k","tasks":[{"a":[1,null]},"x",null],"data":{"last":"x"},"length":4}`},
			{"peek", ``, command.ListItems{PlanID: id, Number: 1}, `{"key":"k","tasks":[{"a":[1,null]},"x",null],"data":{"last":"x"},"length":4}`},
			{"complete", `,"random":"r"`, command.CompleteItems{PlanID: id, Number: -1, Random: "r"}, `{"key":"k","length":1}`},
			{"complete", `,"random":"r","number":0`, command.CompleteItems{PlanID: id, Number: 0, Random: "r"}, `{"key":"k","length":1}`},
			{"release", `,"random":"r"`, command.ReleaseItems{PlanID: id, Random: "r"}, `{"key":"k","ontime":` + seconds + `}`},
			{"release", `,"random":"r","ontime":` + seconds, command.ReleaseItems{PlanID: id, Random: "r", PlanTime: at}, `{"key":"k","ontime":` + seconds + `}`},
			{"delete", ``, command.DropItems{PlanID: id}, `{"key":"k","deleted":4}`},
		} {
			d.want("queues."+c.verb, `{"key":"k"`+c.more+`}`, c.answer)
			for _, got := range l.commands() {
				if _, push := got.(command.PushItem); c.want == nil && push {
					continue
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s%s (-want +got):\n%s", c.verb, c.more, diff)
				}
			}
		}
	})
}

// An empty queue gives an empty list and an empty map, not nothing.
func TestAnEmptyQueue(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering(command.Claimed{}, nil))
		for _, verb := range []string{"queues.get", "queues.peek"} {
			d.want(verb, `{"key":"k","random":"r"}`, `{"key":"k","tasks":[],"data":{},"length":0}`)
		}
	})
}

// A queue whose workers poll it has no time of its own; a push is answered with the time that
// was asked for, or now.
func TestQueueThatIsPolledHasNoTime(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, answering(schema.Pushed{PlanID: queue.PlanID("k"), Length: 1}, nil))
		d.want("queues.push", `{"key":"k","task":1}`, fmt.Sprintf(`{"key":"k","length":1,"ontime":%d}`, noon.Unix()))
		d.want("queues.push", `{"key":"k","task":1,"ontime":4102444800}`, `{"key":"k","length":1,"ontime":4102444800}`)
	})
}

func TestQueuesRefuse(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := answering(nil, errBoom)
		d := openOn(t, ns, l)
		long := strings.Repeat("k", 601)
		for _, c := range []struct{ verb, body, field, hint string }{
			{"push", ``, "key", "missing"},
			{"push", `{"key":"","task":1}`, "key", "missing"},
			{"push", `{"key":"` + long + `","task":1}`, "key", "at most 600"},
			{"push", `{"key":["k"],"task":1}`, "key", "takes a text"},
			{"push", `{"key":"k"}`, "task", "missing"},
			{"push", `{"key":"k","item":1}`, "item", "unknown field"},
			{"push", `{"key":"k","task":1,"update":"never"}`, "update", "always, or once"},
			{"push", `{"key":"k","task":1,"ontime":"soon"}`, "ontime", "RFC 3339"},
			{"push", `{"key":"k","task":1,"ontime":1.5}`, "ontime", "RFC 3339"},
			{"push", `{"key":"k","task":1,"data":[1]}`, "data", "takes a map"},
			{"push", `{"key":"k","task":1,"method":"POST"}`, "service", "no URL"},
			{"push", `{"key":"k","task":1,"service":"http://h"}`, "method", "none of"},
			{"push", `{"key":"k","task":1,"method":"FETCH","service":"http://h"}`, "method", "none of"},
			{"push", `{"key":"k","task":1,"method":"POST","service":"file:///a"}`, "service", "no URL"},
			{"push", `{"key":"k","task":1,"method":"POST","service":"http://h","station":"s"}`, "station", "one of them"},
			{"push", `{"key":"k","task":1,"station":"a b"}`, "station", "station"},
			{"push", `{"key":"-k","task":1}`, "key", "never merged"},
			{"push", `{"key":"k","task":1,"station":"s","abandon_after":-1}`, "abandon_after", "0 (never)"},
			{"push", `{"key":"k","task":1,"abandon_after":5}`, "abandon_after", "needs a station"},
			{"get", `{"key":"k"}`, "random", "missing"},
			{"get", `{"key":"k","random":"` + long + `"}`, "random", "at most 600"},
			{"get", `{"key":"k","random":"r","number":0}`, "number", "from 1"},
			{"get", `{"key":"k","random":"r","number":1.5}`, "number", "whole number"},
			{"get", `{"key":"k","random":"r","timeout":0}`, "timeout", "86400"},
			{"get", `{"key":"k","random":"r","timeout":86401}`, "timeout", "86400"},
			{"get", `{"key":"k","random":"r","timeout":"1m"}`, "timeout", "number"},
			{"get", `{"key":"-k","random":"r"}`, "key", "never merged"},
			{"get", `{"random":"r"}`, "key", "missing"},
			{"peek", `{"key":"k","number":0}`, "number", "from 1"},
			{"peek", `{}`, "key", "missing"},
			{"complete", `{"key":"k"}`, "random", "missing"},
			{"complete", `{"key":"k","random":"r","number":-1}`, "number", "how many"},
			{"complete", `{"key":"-k","random":"r"}`, "key", "never merged"},
			{"release", `{"key":"k"}`, "random", "missing"},
			{"release", `{"key":"k","random":"r","ontime":"soon"}`, "ontime", "RFC 3339"},
			{"delete", `{}`, "key", "missing"},
			{"delete", `{"key":"k","random":"r"}`, "random", "unknown field"},
			{"info", `{}`, "key", "missing"},
			{"info", `{"key":"-k"}`, "key", "never merged"},
			{"retry", `{"key":"` + long + `"}`, "key", "at most 600"},
			{"retry", `{"key":"-k"}`, "key", "never merged"},
			{"list", `{"limit":0}`, "limit", "1 to 1000"},
			{"list", `{"cursor":"?"}`, "cursor", "leave it out"},
			{"list", `{"station":"a b"}`, "station", "station"},
			{"list", `{"text":"` + strings.Repeat("t", 257) + `"}`, "text", "at most 256"},
			{"list", `{"category":"x"}`, "category", "unknown field"},
		} {
			d.refuse("queues."+c.verb, c.body, schema.CodeInvalidRequest, c.field, c.hint)
		}
		if asked := l.commands(); len(asked) > 0 {
			t.Errorf("the leader was asked for %v", asked)
		}
	})
}

// A leader's refusal is reported in the terms of queues, where items are tasks.
func TestQueuesReportTheLeadersRefusals(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, _ *server.Server) {
		for _, c := range []struct{ verb, more, field, shown string }{
			{"push", `,"task":1`, "item", "task"},
			{"push", `,"task":1`, "data", "data"},
			{"get", `,"random":"r"`, "random", "random"},
			{"complete", `,"random":"r"`, "random", "random"},
			{"release", `,"random":"r"`, "random", "random"},
			{"delete", ``, "", ""},
			{"info", ``, "", ""},
			{"retry", ``, "", ""},
		} {
			d := open(t, answering(nil, &schema.Error{Code: schema.CodeConflict, Field: c.field, Message: "it is taken"}))
			d.refuse("queues."+c.verb, `{"key":"k"`+c.more+`}`, schema.CodeConflict, c.shown, "it is taken")
		}
		d := open(t, answering(nil, &schema.Error{Code: schema.CodeNotFound, Message: "there is no plan"}))
		d.refuse("queues.info", `{"key":"k"}`, schema.CodeNotFound, "key", "queue k holds nothing")
		d.refuse("queues.retry", `{"key":"k"}`, schema.CodeNotFound, "key", "queue k holds nothing")
	})
}

// aQueue is the plan of a queue as its leader shows it.
func aQueue(t *testing.T, id, key string, status schema.Status) command.PlanView {
	return command.PlanView{
		PlanView: schema.PlanView{
			Plan: value(t, `{"station":"queue","plan_id":"`+id+`","category":"queue","ext":{"key":"`+key+`","method":"POST","service":"http://h"}}`),
			State: schema.PlanState{
				Status: status, PlanTime: noon, LastState: schema.StateError, ExecTime: noon.Add(-time.Second),
				Inbox: &schema.InboxState{Key: key, Length: 3, Bytes: 30, Locked: 2, Mark: true},
			},
		},
	}
}

func TestQueueInfoAndRetry(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		id := queue.PlanID("k")
		view := aQueue(t, id, "k", schema.StatusRetrying)
		l := &leader{}
		l.script = func(_ int, c command.Command) (any, error) {
			switch c.(type) {
			case command.TriggerPlan:
				return schema.Triggered{State: schema.StatusExecuting}, nil
			case command.ResetPlan:
				return schema.Standing{State: schema.StatusQueued}, nil
			default:
				return view, nil
			}
		}
		d := openOn(t, ns, l)
		d.want("queues.info", `{"key":"k"}`, `{"key":"k","station":"queue","plan_id":"`+id+`","method":"POST","service":"http://h",`+
			`"length":3,"bytes":30,"locked":2,"overwrite":true,"status":"retrying","ontime":1772366400,"last_state":"error","last_time":1772366399}`)
		d.want("queues.retry", `{"key":"k"}`, `{"key":"k","state":"executing"}`)
		view = aQueue(t, id, "k", schema.StatusPlanError)
		d.want("queues.retry", `{"key":"k"}`, `{"key":"k","state":"queued"}`)
		view.State.Inbox = nil // a plan of the same id that was made by plans.create
		d.refuse("queues.info", `{"key":"k"}`, schema.CodeNotFound, "key", "holds nothing")
	})
}

func TestListQueues(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &leader{script: func(_ int, c command.Command) (any, error) {
			query := c.(command.ListPlans)
			var out command.PlanSlice
			for i := range 5 {
				view := aQueue(t, fmt.Sprintf("q%d", i), fmt.Sprintf("k%d", i), schema.StatusQueued)
				if i == 2 {
					view.State.Inbox = nil // of this category, and no queue
				}
				switch id := fmt.Sprintf("q%d", i); {
				case id <= query.After.PlanID:
				case len(out.Plans) == query.Limit:
					out.More = true
				default:
					out.Plans = append(out.Plans, view)
					out.Last = schema.PlanName{Station: "queue", PlanID: id}
				}
			}
			return out, nil
		}}
		d := openOn(t, ns, l)
		var got []string
		for cursor, pages := "", 0; cursor != "" || pages == 0; pages++ {
			var p schema.QueuePage
			d.page(wire.MsgPack, "queues.list", fmt.Sprintf(`{"limit":2,"text":"k","station":"queue","cursor":%q}`, cursor), &p)
			for _, q := range p.Queues {
				got = append(got, q.Key)
			}
			cursor = p.Next
		}
		if diff := cmp.Diff([]string{"k0", "k1", "k3", "k4"}, got); diff != "" {
			t.Error(diff)
		}
		for _, c := range l.commands() {
			if f := c.(command.ListPlans).Filter; f.Category != "queue" || f.Station != "queue" || f.Text != "k" {
				t.Errorf("looked for %+v", f)
			}
		}
	})
}

// Each push under a key that is not merged is a queue of its own; deleting the key
// deletes them all, and no other.
func TestDeleteOfAKeyThatIsNotMerged(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &leader{}
		l.script = func(_ int, c command.Command) (any, error) {
			if _, ok := c.(command.DropItems); ok {
				return command.InboxLeft{Dropped: 1}, nil
			}
			return command.PlanSlice{Plans: []command.PlanView{
				aQueue(t, "a", "-k", schema.StatusQueued), aQueue(t, "b", "-kk", schema.StatusQueued), aQueue(t, "c", "-k", schema.StatusExecuting),
			}}, nil
		}
		d := openOn(t, ns, l)
		answer, _ := d.ask(wire.JSON, "queues.delete", `{"key":"-k"}`)
		if answer != `{"key":"-k","deleted":2}` {
			t.Error(answer)
		}
		dropped := map[string]bool{}
		for _, c := range l.commands() {
			if drop, ok := c.(command.DropItems); ok {
				dropped[drop.PlanID] = true
			}
		}
		if diff := cmp.Diff(map[string]bool{"a": true, "c": true}, dropped); diff != "" {
			t.Error(diff)
		}
	})
}
