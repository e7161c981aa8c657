// Package roles defines the rights of each role on a nats-server of an installation.
//
// In come a role, its user and the installation's prefix; out go the subjects that the user
// may publish and subscribe to. They are those of deploy/nats-server.conf, where comments
// give the reasons; a test compares both. The package knows no server.
package roles

import (
	"fmt"
	"slices"
	"strings"
)

// The roles, without the scheduler's own.
const (
	Publisher = "publisher"
	Observer  = "observer"
	Worker    = "worker"
	Operator  = "operator"
)

// Names are all roles.
var Names = []string{Publisher, Observer, Worker, Operator}

// Rights are the subjects that a user may publish and subscribe to; a subscription to
// "subject group" has to be of that queue group. All else is denied.
type Rights struct{ Publish, Subscribe []string }

// A Station is one that a worker serves.
type Station struct {
	Name string
	// Fanout means that each worker receives each execution, as of kinds vote and pub, so
	// that there is no queue group.
	Fanout bool
}

// An installation has subjects, streams and buckets with one prefix.
type installation struct{ prefix string }

// own are subjects of the installation.
func (i installation) own(subjects ...string) []string {
	if i.prefix == "" {
		return subjects
	}
	out := make([]string, len(subjects))
	for n, s := range subjects {
		out[n] = i.prefix + "." + s
	}
	return out
}

// bucket is the name of a bucket.
func (i installation) bucket(name string) string {
	if i.prefix == "" {
		return name
	}
	return i.prefix + "_" + name
}

// Of returns the rights of a user with a role in the installation with a prefix. Stations
// are a worker's.
func Of(role, user, prefix string, stations []Station) Rights {
	i := installation{prefix}
	var r Rights
	switch role {
	case Publisher:
		r = i.publisher()
	case Observer:
		r = i.observer()
	case Worker:
		r = i.worker(user, stations)
	case Operator:
		r = i.operator()
	default:
		panic(fmt.Sprintf("%q is no role", role))
	}
	r.Subscribe = append(r.Subscribe, "_INBOX."+user+".>")
	return r
}

func (i installation) publisher() Rights {
	return Rights{
		Publish: i.own("plans.*", "queues.*", "periodic_tasks.*",
			"tasks.submit", "tasks.get", "tasks.list", "tasks.cancel", "tasks.process", "tasks.retry",
			"task_types.get", "task_types.list", "stations.get", "stations.list", "stations.stats", "calendars.get", "calendars.list", "calendars.days", "workers.list", "workers.get"),
		Subscribe: i.own("plan.result.>", "plan.event.>"),
	}
}

func (i installation) observer() Rights {
	return Rights{
		Publish: i.own("plans.get", "plans.list", "plans.run", "plans.runs", "plans.preview", "plans.upcoming", "plans.calendar", "plans.timeline", "plans.explain", "plans.overview", "plans.series",
			"stations.get", "stations.list", "stations.stats", "calendars.get", "calendars.list", "calendars.days", "workers.list", "workers.get",
			"periodic_tasks.get", "periodic_tasks.list", "periodic_tasks.logs",
			"tasks.get", "tasks.list", "task_types.get", "task_types.list"),
		Subscribe: i.own("plan.result.>", "plan.event.>"),
	}
}

func (i installation) worker(user string, stations []Station) Rights {
	r := Rights{Subscribe: i.own("worker." + user)}
	for _, s := range stations {
		r.Publish = append(r.Publish, i.own("plan.reply.*."+s.Name+".*.*", "plans.claim."+s.Name, "worker.here."+user+"."+s.Name)...)
		taken := i.own("station." + s.Name)[0]
		if !s.Fanout {
			taken += " " + s.Name
		}
		r.Subscribe = append(r.Subscribe, taken)
		r.Subscribe = append(r.Subscribe, i.own("plan.cancel."+s.Name+".*")...)
	}
	return r
}

func (i installation) operator() Rights {
	leaders := i.bucket("leaders")
	return Rights{
		Publish: slices.Concat(
			i.own("plans.*", "stations.*", "calendars.*", "workers.*", "queues.*", "periodic_tasks.*", "tasks.*", "task_types.*", "secrets.*"),
			[]string{
				"$SRV.>",
				"$JS.API.INFO", "$JS.API.STREAM.LIST", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.INFO.*",
				"$JS.API.CONSUMER.LIST.*", "$JS.API.CONSUMER.NAMES.*", "$JS.API.CONSUMER.INFO.*.*",
				"$JS.API.CONSUMER.CREATE.KV_" + leaders + ".*.$KV." + leaders + ".node.*",
				"$JS.API.CONSUMER.CREATE.KV_" + leaders + ".*.$KV." + leaders + ".damage.*.*",
				"$JS.API.CONSUMER.DELETE.KV_" + leaders + ".*", "$KV." + leaders + ".damage.*.*",
				"$JS.API.STREAM.SNAPSHOT.*", "$JS.SNAPSHOT.ACK.>",
				"$JS.API.STREAM.RESTORE.*", "$JS.SNAPSHOT.RESTORE.>",
			}),
		Subscribe: i.own("plan.result.>", "plan.event.>", "plan.cancel.>"),
	}
}

// list joins words with commas and an "or".
func list(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
