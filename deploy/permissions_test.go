package deploy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

// A right is a subject, and the roles that may publish or subscribe to it.
type right struct {
	subject string // "subject group" with a queue group
	allowed []string
}

var none []string

func only(roles ...string) []string { return roles }

// publishes are the rights to publish. The reply subject, nonce and plan are made up,
// because the test checks only whether the server accepts the message.
var publishes = []right{
	{"plans.create", only(publisher, operator, scheduler)},
	{"plans.remove", only(publisher, operator, scheduler)},
	{"plans.import", only(publisher, operator, scheduler)},
	{"plans.export", only(publisher, operator, scheduler)},
	{"plans.items", only(publisher, operator, scheduler)},
	{"plans.restore", only(publisher, operator, scheduler)},
	{"plans.get", only(publisher, observer, operator, scheduler)},
	{"plans.runs", only(publisher, observer, operator, scheduler)},
	{"plans.preview", only(publisher, observer, operator, scheduler)},
	{"plans.upcoming", only(publisher, observer, operator, scheduler)},
	{"plans.calendar", only(publisher, observer, operator, scheduler)},
	{"plans.timeline", only(publisher, observer, operator, scheduler)},
	{"plans.explain", only(publisher, observer, operator, scheduler)},
	{"plans.overview", only(publisher, observer, operator, scheduler)},
	{"plans.series", only(publisher, observer, operator, scheduler)},
	{"stations.put", only(operator, scheduler)},
	{"stations.delete", only(operator, scheduler)},
	{"stations.list", only(publisher, observer, operator, scheduler)},
	{"stations.stats", only(publisher, observer, operator, scheduler)},
	{"workers.list", only(publisher, observer, operator, scheduler)},
	{"workers.get", only(publisher, observer, operator, scheduler)},
	{"plans.claim.hello", only(hello)},
	{"plans.claim.mail", none},

	// An answer in the name of a station.
	{"plan.reply.0.hello.*p.1-0123456789abcdef", only(hello)},
	{"plan.reply.0.mail.*p.1-0123456789abcdef", only(mail)},
	{"plan.reply.0.hello.mail.*p.1-0123456789abcdef", none},

	// Messages of the scheduler only.
	{"station.hello", only(scheduler)},
	{"station.mail", only(scheduler)},
	{"worker.hello-1", only(scheduler)},
	{"plan.result.hello.p", only(scheduler)},
	{"plan.event.created.hello.p", only(scheduler)},
	{"plan.cancel.hello.p", only(scheduler)},

	// The subjects of leaders, which are those of the journal, fences, leases and the
	// installation's key.
	{"scheduler.lead.0", only(scheduler)},
	{"scheduler.journal.0", only(scheduler)},
	{"scheduler.stored.0", only(scheduler)},
	{"scheduler.queued.0", only(scheduler)},
	{"scheduler.inbox.0.queue.p", only(scheduler)},
	{"scheduler.result.hello.p", only(scheduler)},
	{"$KV.plans.plan.hello.p", only(scheduler)},
	{"$KV.plans.checkpoint", only(scheduler)},
	{"$KV.leaders.0", only(scheduler)},
	{"$KV.leaders.installation", only(scheduler)},
	{"$KV.leaders.damage.short.PLAN_JOURNAL", only(scheduler, operator)},
	{"$KV.stations.station.hello", only(scheduler)},

	// The secrets that sign callbacks.
	{"$KV.secrets.hello", only(scheduler)},
	{"$JS.API.STREAM.MSG.GET.KV_secrets", only(scheduler)},
	{"$JS.API.DIRECT.GET.KV_secrets", none},
	{"$JS.API.CONSUMER.CREATE.KV_secrets.x", only(scheduler)},
	{"$JS.API.STREAM.PURGE.KV_secrets", none},
	{"plan.reply.0.callback.hello.*p.1-0123456789abcdef", only(scheduler)},

	// Presence of the role's own worker.
	{"worker.here.hello-1.hello", only(hello)},
	{"worker.here.hello-1.jury", none},
	{"worker.here.hello-2.hello", none},
	{"worker.here.mail-1.mail", none},
	{"$KV.workers.hello-1", only(scheduler)},
	// The scheduler's process is the worker of station http, too.
	{"worker.here.node-1.http", only(scheduler)},
	{"worker.here.node-1.callback.*below", only(scheduler)},
	{"$KV.workers.mail-1", only(scheduler)},
	{"plan.reply.0.http.*p.1-0123456789abcdef", only(scheduler)},

	// Answers to others.
	{"_INBOX.publisher.x", only(scheduler)},

	// The subjects of streams, by which a client may read a bucket, write by the reply subject of
	// a read, or destroy.
	{"$JS.API.STREAM.MSG.GET.KV_plans", only(scheduler)},
	{"$JS.API.STREAM.MSG.GET.KV_leaders", only(scheduler)},
	{"$JS.API.STREAM.MSG.GET.PLAN_REPLIES", only(scheduler)},
	{"$JS.API.DIRECT.GET.PLAN_RESULTS", only(scheduler)},
	{"$JS.API.CONSUMER.CREATE.PLAN_RESULTS.x", only(scheduler)},
	{"$JS.API.CONSUMER.CREATE.PLAN_JOURNAL.x", only(scheduler)},
	{"$JS.API.STREAM.CREATE.mine", none},
	{"$JS.API.STREAM.UPDATE.PLAN_RESULTS", only(scheduler)},
	{"$JS.API.STREAM.UPDATE.PLAN_JOURNAL", none},
	{"$JS.API.STREAM.DELETE.PLAN_JOURNAL", none},
	{"$JS.API.STREAM.DELETE.KV_plans", none},
	{"$JS.API.STREAM.MSG.DELETE.PLAN_RESULTS", none},
	{"$JS.API.STREAM.PURGE.PLAN_JOURNAL", only(scheduler)},
	{"$JS.API.STREAM.PURGE.PLAN_RESULTS", none},
	{"$JS.API.STREAM.PURGE.PLAN_QUEUES", only(scheduler)},
	{"$JS.API.DIRECT.GET.PLAN_QUEUES", only(scheduler)},
	{"queues.push", only(publisher, operator, scheduler)},
	{"queues.delete", only(publisher, operator, scheduler)},
	{"task_types.put", only(operator, scheduler)}, // it sets the target of callbacks
	{"task_types.get", only(publisher, operator, observer, scheduler)},
	// Even the name of a secret of calls is information.
	{"secrets.put", only(operator, scheduler)},
	{"secrets.list", only(operator, scheduler)},
	{"secrets.export", only(operator, scheduler)},
	{"secrets.delete", only(operator, scheduler)},
	{"$KV.secrets.http/partner", only(scheduler)},
	{"tasks.submit", only(publisher, operator, scheduler)},
	{"tasks.report", only(operator, scheduler)}, // an answer in the name of any agent
	{"tasks.list", only(publisher, operator, observer, scheduler)},
	{"periodic_tasks.put", only(publisher, operator, scheduler)},
	{"periodic_tasks.online", only(publisher, operator, scheduler)},
	{"periodic_tasks.logs", only(publisher, operator, observer, scheduler)},
	{"$JS.API.STREAM.PURGE.KV_plans", only(scheduler)},
	{"$JS.API.STREAM.INFO.PLAN_RESULTS", only(scheduler, operator)},
	{"$JS.API.STREAM.SNAPSHOT.KV_plans", only(operator)},
	{"$SRV.INFO", only(operator)},
}

// subscribes are the rights to subscribe.
var subscribes = []right{
	{"station.hello hello", only(hello)},
	{"station.mail mail", only(mail)},
	{"station.http http", only(scheduler)},
	{"station.queue queue", only(scheduler)},
	{"station.callback.> callback", only(scheduler)},
	{"station.callback.>", none},
	{"plan.cancel.callback.>", only(scheduler, operator)},
	{"$KV.secrets.>", none},
	{"station.http", none},
	{"station.hello", none}, // without the group it would see the executions of others
	{"station.hello other", none},
	{"station.>", none},
	{"worker.hello-1", only(hello, scheduler)},
	{"worker.>", only(scheduler)},
	{"plan.cancel.http.*", only(scheduler, operator)},
	{"plan.cancel.hello.*", only(hello, operator)},
	{"plan.cancel.mail.*", only(mail, operator)},
	{"plan.reply.>", only(scheduler)},
	{"plan.reply.*.hello.*.*", only(scheduler)},
	{"plan.result.>", only(publisher, observer, operator)},
	{"plan.event.>", only(publisher, observer, operator, scheduler)},
	{"plans.create", only(scheduler)}, // to answer publishers
	{"plans.create q", only(scheduler)},
	{"stations.put q", only(scheduler)},
	{"scheduler.lead.0", only(scheduler)},
	{"scheduler.journal.0", none},
	{"$KV.plans.>", none},
	{"$KV.leaders.>", only(scheduler)},
	{"$KV.workers.>", only(scheduler)},
	{"worker.here.>", only(scheduler)},
	{"$JS.>", none},
	{"$SRV.PING", only(scheduler)},
	{"_INBOX.>", none},
	{"_INBOX.publisher.>", only(publisher)},
	{"_INBOX.hello-1.>", only(hello)},
	{"_INBOX.scheduler.>", only(scheduler)},
	{">", none},
}

// Each role tries everything, against a server without a scheduler, because only the rights
// are checked.
func TestEachRoleMayDoThisAndNothingElse(t *testing.T) {
	startServer(t, "").tryAll(t, everybody)
}

// tryAll has these roles try everything.
func (s *site) tryAll(t *testing.T, as []string) {
	try := func(rights []right, attempt func(c *conn, subject, group string) error) {
		for _, role := range as {
			for _, r := range rights {
				subject, group, _ := strings.Cut(r.subject, " ")
				c := s.connect(role)
				if err := attempt(c, subject, group); err != nil {
					t.Fatal(err)
				}
				refusal := c.settled()
				c.Close()
				if may := slices.Contains(r.allowed, role); may != (refusal == nil) {
					t.Errorf("%s, %s: may is %v, the server answers %v", role, r.subject, may, refusal)
				}
			}
		}
	}
	t.Run("publish", func(*testing.T) {
		try(publishes, func(c *conn, subject, _ string) error { return c.Publish(subject, []byte("junk")) })
	})
	t.Run("subscribe", func(*testing.T) {
		try(subscribes, func(c *conn, subject, group string) error {
			_, err := c.QueueSubscribe(subject, group, func(*nats.Msg) {})
			return err
		})
	})
}
