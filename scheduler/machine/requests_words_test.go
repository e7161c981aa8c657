package machine

import (
	"math"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The values of a sequence's requests are those that the schema allows, and some that it refuses,
// whether a person would write them or not.

var (
	placesOfSequences  = []string{"s", "s.deep", "pool", "pool", "votes", "news", "job"}
	idsOfSequences     = []string{"a", "b", "c"}
	workersOfSequences = []string{"w1", "w2", "w3", "a", "pool", strings.Repeat("w", schema.MaxName)}
)

// lists of workers, with doubles, empty, and with more names than there are workers
func (s *sequence) workers() []any {
	var ids []any
	for range pick(s.choices, 0, 1, 2, 2, 3, 8) {
		ids = append(ids, pick(s.choices, workersOfSequences...))
	}
	return ids
}

// policy sets a field that plans and stations have in common.
func (s *sequence) policy(fields map[string]any) {
	seconds := func() any { return pick[any](s.choices, 0, 0.001, 1, 7, 60, 315360000) }
	ms := func() any { return pick[any](s.choices, 0, 1, 1000, 30_000, 315360000000) }
	set := [...]func(){
		func() { fields["overlap"] = pick(s.choices, "skip", "queue", "cancel_prev", "parallel", "allow") },
		func() { fields["failure"] = pick(s.choices, "run_new", "skip", "retry") },
		func() { fields["concurrency"] = pick(s.choices, "queue", "skip", "parallel") },
		func() { fields["max_concurrency"] = pick[any](s.choices, 0, 1, 1, 2, int64(math.MaxInt64)) },
		func() { fields["catch_up"] = pick(s.choices, "none", "compact", "full") },
		func() { fields["exec_timeout"] = seconds() },
		func() { fields["start_timeout"] = seconds() },
		func() { fields["voters"] = pick(s.choices, 1, 2, schema.MaxVoters) },
		func() { fields["quorum"] = pick(s.choices, 1, 2, schema.MaxVoters) },
		func() { fields["ping_interval_ms"] = ms() },
		func() { fields["ping_timeout_ms"] = ms() },
		func() { fields["max_unexpected_retries"] = pick[any](s.choices, 0, 1, int64(math.MaxInt64)) },
		func() { fields["unexpected_retry_delay_ms"] = ms() },
		func() { fields["retry"] = s.retry() },
	}
	set[s.of(len(set))]()
}

func (s *sequence) retry() map[string]any {
	fields := map[string]any{"strategy": pick(s.choices, "none", "fixed_period", "sequence", "exponential")}
	if fields["strategy"] == "sequence" || s.once(8) {
		fields["sequence"] = pick(s.choices, []any{}, []any{0}, []any{0, 0, 1, 1, 0}, []any{315360000})
	}
	switch s.of(6) {
	case 0:
		fields["max_error_count"] = pick[any](s.choices, 0, 1, int64(math.MaxInt64))
	case 1:
		fields["interval"] = pick[any](s.choices, 0.001, 1, 315360000)
	case 2:
		fields["max_interval"] = pick[any](s.choices, 0.001, 60)
	case 3:
		fields["jitter"] = pick[any](s.choices, 0, 1)
	case 4:
		fields["need_manual"], fields["max_error_count"] = true, pick(s.choices, 0, 1)
	}
	return fields
}

func (s *sequence) schedule(fields map[string]any) {
	when := func() any {
		return pick[any](s.choices, s.now, s.now.Add(time.Second), s.now.Add(-time.Minute), s.now.Add(26*time.Hour), 1, "9999-12-31T23:59:59Z", 0)
	}
	repet := func() any { return pick[any](s.choices, -1, -1, 1, 2, 100, int64(math.MaxInt64)) }
	switch kind := pick(s.choices, "none", "none", "second", "second", "second", "time", "minute", "hour", "day", "week", "month", "cron"); kind {
	case "none":
		fields["plan_type"] = kind
	case "time":
		fields["plan_type"], fields["plan_time"] = kind, when()
	case "cron":
		fields["plan_type"] = kind
		fields["cron"] = pick(s.choices, "* * * * * *", "*/20 * * * *", "30 2 * * *", "@every 3s", "0 0 29 2 *")
	case "week", "month":
		fields["plan_type"], fields["plan_repet"], fields["plan_value"] = kind, repet(), pick(s.choices, 0, 1, 6, 31, -31)
	default:
		fields["plan_type"], fields["plan_repet"], fields["plan_value"] = kind, repet(), pick(s.choices, 1, 1, 0, 2, 7, 32766)
		if s.once(4) {
			fields["plan_time"] = when()
		}
	}
	if s.once(8) {
		fields[pick(s.choices, "start_at", "end_at")] = when()
	}
}

// rarely sets a field that only plans have.
func (s *sequence) rarely(fields map[string]any) {
	set := [...]func(){
		func() { fields["no_keep"] = true },
		func() { fields["jitter"] = pick[any](s.choices, 0, 0.001, 5, 86400) },
		func() { fields["on_unknown"] = pick(s.choices, "redo", "skip", "hold") },
		func() { fields["on_failure"] = pick(s.choices, "halt", "settle") },
		func() { fields["priority"] = pick(s.choices, 0, 5, 9) },
		func() { fields["worker_count"] = pick(s.choices, 0, 1, 2, 2, 3, schema.MaxWorkerCount) },
		func() { fields["worker_ids"] = s.workers() },
		func() { fields["worker_ids"], fields["worker_count"] = s.workers(), 2 },
		func() { fields["paused"] = true },
		func() { fields["batch"] = pick(s.choices, 0, 1, 2, 10_000) },
		func() { fields["log"] = pick(s.choices, "none", "trigger", "full") },
		func() { fields["caller"] = pick(s.choices, "", "w1", strings.Repeat("c", 4<<10)) },
		func() {
			fields["labels"] = pick(s.choices, map[string]any{}, map[string]any{"k": "v"}, map[string]any{"k": "", "v": "v"})
		},
		func() { fields["tenant_id"] = pick[any](s.choices, 7, "7", "") },
		func() {
			fields["messages"] = pick(s.choices, []any{}, []any{nil, nil}, []any{strings.Repeat("m", 1000)}, []any{strings.Repeat("\x01", 4<<10)}, []any{strings.Repeat("m", 200<<10)})
		},
		func() { fields["on_conflict"] = pick(s.choices, "keep", "update", "error") },
	}
	set[s.of(len(set))]()
}

func (s *sequence) name() schema.PlanName {
	return schema.PlanName{Station: pick(s.choices, placesOfSequences...), PlanID: pick(s.choices, idsOfSequences...)}
}

// definition makes a plan, as the door does; nil: it is refused there.
func (s *sequence) definition(name schema.PlanName) *schema.Definition {
	fields := map[string]any{"station": name.Station, "plan_id": name.PlanID, "command": "c"}
	s.schedule(fields)
	for range s.of(4) {
		s.policy(fields)
	}
	for range s.of(4) {
		s.rarely(fields)
	}
	return s.parsed(fields)
}

func (s *sequence) parsed(fields map[string]any) *schema.Definition {
	d, err := schema.ParsePlan(s.value(fields), schema.ParseOptions{})
	if err != nil {
		return nil
	}
	return d
}

func (s *sequence) value(fields any) wire.Value {
	v, err := wire.ValueOf(pick(s.choices, wire.JSON, wire.MsgPack), fields)
	if err != nil {
		s.fail("%v cannot be encoded: %v", fields, err)
	}
	return v
}

// station makes a record, as the door does; nil: it is refused there.
func (s *sequence) station() *schema.Station {
	fields := map[string]any{"station": pick(s.choices, placesOfSequences...)}
	switch fields["station"] {
	case "pool", "job":
		fields["kind"] = pick(s.choices, "pull", "pull", "pull", "api", "vote", "pub")
	case "votes":
		fields["kind"] = pick(s.choices, "vote", "vote", "pull", "api")
	case "news":
		fields["kind"] = pick(s.choices, "pub", "pub", "vote", "pull", "")
	default:
		fields["kind"] = pick(s.choices, "", "api", "pull")
	}
	for range s.of(5) {
		s.policy(fields)
	}
	switch s.of(8) {
	case 0:
		fields["encoding"] = pick(s.choices, "json", "msgpack")
	case 1:
		target := map[string]any{"url": "http://somebody/"}
		fields["callback"] = pick(s.choices, map[string]any{"success": target}, map[string]any{"error": target}, map[string]any{"success": target, "error": target})
	}
	st, err := schema.ParseStation(s.value(fields))
	if err != nil {
		return nil
	}
	if st.Station == "job" && !s.once(4) {
		st.TaskType = &schema.TaskType{Code: st.Station}
	}
	return st
}

// about is an execution that a reply names: one that was sent, or a stranger's.
func (s *sequence) about() schema.ReplyName {
	if len(s.sent) == 0 || s.once(32) {
		name := s.name()
		return schema.ReplyName{Station: name.Station, PlanID: name.PlanID, N: int64(s.of(4)), Nonce: "0123456789abcdef"}
	}
	return aboutOf(s.sent[max(0, len(s.sent)-1-s.of(len(s.sent)))])
}

// reply is a worker's reply, as the front reads it.
func (s *sequence) reply() (schema.Reply, schema.Reason) {
	fields := map[string]any{"state": pick(s.choices, "ok", "ok", "error", "running", "waiting", "failure", "not_worker", "perhaps", "", "timeout", "dispatched")}
	for range s.of(4) {
		switch s.of(8) {
		case 0, 1:
			fields["worker_id"] = pick(s.choices, workersOfSequences...)
		case 2:
			fields["content"] = pick[any](s.choices, nil, "", []any{1, 1}, strings.Repeat("\x02", 60<<10), strings.Repeat("x", 300<<10))
		case 3:
			fields["error"] = pick[any](s.choices, "", "no", strings.Repeat("e", 4<<10))
		case 4:
			fields["extend"] = pick[any](s.choices, 0, 5, -1, 1e300)
		case 5:
			fields["delay"] = pick[any](s.choices, 0, 5, -1, 1e300)
		case 6:
			fields["retry"], fields["callback"] = s.once(2), s.once(2)
		case 7:
			fields["unsure"] = true
		}
	}
	v := s.value(fields)
	return schema.ParseReply(nil, v.Raw(), v.Encoding())
}

// claim is a worker's claim, as it comes from one node to another.
func (s *sequence) claim() command.ClaimWork {
	fields := map[string]any{"WorkerID": pick(s.choices, workersOfSequences...), "Limit": pick(s.choices, 1, 1, 2, schema.MaxClaim)}
	fields["ID"] = pick(s.choices, "", "c1", "c2")
	fields["Wait"] = int64(pick(s.choices, 0, 0, time.Second, time.Minute))
	fields["Stations"] = pick(s.choices, []any{"pool"}, []any{"pool", "pool", "job"}, []any{"s", "s.deep", "pool", "job", "votes", "news"}, []any{}, []any{"nobody's"})
	if s.once(8) {
		fields["Caller"] = "w1"
	}
	if s.once(8) {
		fields["Labels"] = map[string]any{"k": "v"}
	}
	fields["Views"], fields["Tasks"] = s.once(8), s.once(12)
	var c command.ClaimWork
	if err := wire.DecodeLoose(s.value(fields), &c); err != nil {
		s.fail("%v", err)
	}
	return c
}
