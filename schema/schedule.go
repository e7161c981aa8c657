package schema

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Once is the schedule of a plan that is due once, at once.
func Once() Schedule { return Schedule{PlanType: TypeNone} }

// At is the schedule of a plan that is due once, at t. A plan whose time has
// passed is not due, unless its NoKeep is set.
func At(t time.Time) Schedule { return Schedule{PlanType: TypeTime, PlanTime: t} }

// Every is the schedule of a plan that is due every d, for ever or [Schedule.Times]. It counts
// elapsed time, in whole seconds: a fraction is rounded up, and 0 means as soon as the
// occurrence before is settled. From 32,767 seconds on d has to be a number of whole minutes,
// from as many minutes on of hours, then of days; the scheduler refuses other plans.
func Every(d time.Duration) Schedule {
	count := int64((d + time.Second - 1) / time.Second)
	if d < 0 {
		count = -1 // which the scheduler refuses
	}
	typ := TypeSecond
	for _, next := range []struct {
		typ PlanType
		of  int64
	}{{TypeMinute, 60}, {TypeHour, 60}, {TypeDay, 24}} {
		if count <= maxPlanValue || count%next.of != 0 {
			break
		}
		typ, count = next.typ, count/next.of
	}
	return Schedule{PlanType: typ, PlanValue: &count, PlanRepet: new(int64(-1))}
}

// Cron is the schedule of a cron expression of five fields, or of six with seconds, such as
// "0 9 * * mon-fri". The zone is an IANA name such as Europe/Berlin; empty is UTC.
func Cron(expression, zone string) Schedule {
	return Schedule{PlanType: TypeCron, Cron: expression, Timezone: zone}
}

// Times returns the schedule with n occurrences at most; -1 is without end.
func (s Schedule) Times(n int64) Schedule {
	s.PlanRepet = &n
	return s
}

// Between returns the schedule with no occurrence before from and none after to. A zero time
// is no bound.
func (s Schedule) Between(from, to time.Time) Schedule {
	s.StartAt, s.EndAt = from, to
	return s
}

// Messages encodes values as the messages of a plan, by their json tags, in JSON; a client
// sends them in its own encoding. It panics on a value without an encoding, such as a channel,
// a number that is not finite or a text that is not UTF-8; [Job.Encode] returns an error instead.
func Messages(values ...any) []wire.Value {
	messages := make([]wire.Value, len(values))
	for i, v := range values {
		message, err := wire.ValueOf(wire.JSON, v)
		if err == nil {
			err = checkTexts(v, message)
		}
		if err != nil {
			panic(fmt.Sprintf("schema: message %d: %v", i, err))
		}
		messages[i] = message
	}
	return messages
}

// Within is the value of a field that is a span of time, such as [Policy].ExecTimeout. A
// timeout of 0 is none, also where the scheduler has a default.
func Within(d time.Duration) *Seconds { return new(Seconds(d.Seconds())) }

// NoRetry is the retry policy of a plan whose occurrences are settled by their first failure.
func NoRetry() *Retry { return &Retry{Strategy: RetryNone} }

// RetryEvery is the retry policy of at most most retries, each after the same interval. A
// negative most is no limit.
func RetryEvery(interval time.Duration, most int64) *Retry {
	return &Retry{Strategy: RetryFixed, Interval: Within(interval), MaxErrorCount: limit(most)}
}

// RetryBackoff is the retry policy of at most most retries, the first after an interval, each
// following one after twice the interval before, which longest bounds. A negative most is no
// limit.
func RetryBackoff(first, longest time.Duration, most int64) *Retry {
	return &Retry{Strategy: RetryExponential, Interval: Within(first), MaxInterval: Within(longest), MaxErrorCount: limit(most)}
}

func limit(most int64) *int64 {
	if most < 0 {
		return nil
	}
	return &most
}
