package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// voting makes a vote station, with the fields of more.
func (c *client) voting(more body) string {
	c.t.Helper()
	station := c.station()
	c.req("stations.put", body{"station": station, "kind": "vote"}.with(more))
	return station
}

// voters subscribe to a station, each for itself, without a queue group.
func (c *client) voters(station string, n int) []*worker {
	c.t.Helper()
	var all []*worker
	for range n {
		all = append(all, &worker{*c.listen("station." + station)})
	}
	return all
}

// poll delivers one execution to every voter.
func poll(voters []*worker) []*execution {
	voters[0].c.t.Helper()
	var all []*execution
	for _, v := range voters {
		all = append(all, v.take())
	}
	return all
}

// votes are those of a result, as "w1 ok", in the order of the ids.
func votes(result body) string {
	var s []string
	for _, v := range result.list("votes") {
		s = append(s, strings.TrimSpace(v.text("worker_id")+" "+v.text("state")))
	}
	slices.Sort(s)
	return strings.Join(s, ", ")
}

func TestAVoteIsOverWhenAllVotersHaveVoted(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		station body
		plan    body
		votes   string // their states, in order
		want    string
	}{
		{"unanimous", body{"voters": 2}, nil, "ok ok", "ok"},
		{"more than half, of three", body{"voters": 3}, nil, "ok error ok", "ok"},
		{"less than half, of three", body{"voters": 3}, nil, "ok error error", "failure"},
		{"half is not more than half", body{"voters": 2}, nil, "ok error", "failure"},
		{"a quorum of one", body{"voters": 3, "quorum": 1}, nil, "error error ok", "ok"},
		{"a quorum of all", body{"voters": 3, "quorum": 3}, nil, "ok ok error", "failure"},
		{"voters and quorum of the plan", nil, body{"voters": 2, "quorum": 1}, "error ok", "ok"},
		{"the plan's wins", body{"voters": 5, "quorum": 5}, body{"voters": 2, "quorum": 1}, "error ok", "ok"},
		{"a failure is a vote, too", body{"voters": 2, "quorum": 1}, nil, "failure ok", "ok"},
		{"failures alone", body{"voters": 2}, nil, "failure failure", "failure"},
		{"one voter", body{"voters": 1}, nil, "ok", "ok"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.voting(row.station)
			states := words(row.votes)
			voters, results, events := c.voters(station, len(states)), c.results(station), c.events(station)
			c.create(once(station).with(body{"plan_id": "p", "exec_timeout": 30, "retry": body{"strategy": "none"}}).with(row.plan))
			var want []string
			for i, x := range poll(voters) {
				match(t, "an execution", x.body, body{"occurrence": 1, "attempt": 1})
				results.empty("a result before the last vote")
				id := fmt.Sprintf("w%d", i)
				match(t, "the answer to a vote", x.request(body{"state": states[i], "worker_id": id, "content": i, "error": "e"}), body{"ack": true, "accepted": true})
				want = append(want, id+" "+states[i])
			}
			result := results.next()
			match(t, "the result", result, body{"n": 1, "occurrence": 1, "state": row.want, "final": true, "worker_id": absent})
			if got := votes(result); got != strings.Join(want, ", ") {
				t.Errorf("votes are %s, want %v", got, want)
			}
			for _, v := range result.list("votes") {
				only(t, "a vote", v, words("worker_id state content error")...)
				match(t, "a vote", v, body{"content": int(v.text("worker_id")[1] - '0')})
			}
			events.of("closed")
			runs := c.runs(station, "p")
			if len(runs) != 1 || votes(runs[0]) != votes(result) {
				t.Errorf("the run has other votes than the result: %v", runs)
			}
		})
	}
}

func TestTheVotesOfAResultSpeakThePlansEncoding(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.voting(body{"voters": 2})
		voters, results := c.voters(station, 2), c.results(station)
		c.create(once(station))
		all := poll(voters)
		all[0].sendIn(inJSON, body{"state": "ok", "worker_id": "w1", "content": body{"big": int64(9007199254740993)}})
		all[1].sendIn(inMsgPack, body{"state": "ok", "worker_id": "w2", "content": body{"big": int64(9007199254740993)}})
		msg := results.msg()
		if got := msg.Header.Get("Content-Type"); got != c.enc.contentType {
			t.Errorf("the result is in %s", got)
		}
		for _, v := range c.open(msg).list("votes") {
			match(t, "a vote", v, body{"content": body{"big": int64(9007199254740993)}})
		}
	})
}

func TestOnlyTheFirstVoteOfAWorkerCounts(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.voting(body{"voters": 3})
	voters, results := c.voters(station, 3), c.results(station)
	c.create(once(station).with(body{"exec_timeout": 30}))
	x := poll(voters)
	x[0].request(body{"state": "error", "worker_id": "w1"})
	x[0].request(body{"state": "ok", "worker_id": "w1"}) // it changes its vote
	x[0].request(body{"state": "ok", "worker_id": "w1"})
	results.empty("a result of one worker's votes")
	x[1].request(body{"state": "ok", "worker_id": "w2"})
	results.empty("a result of two workers' votes")
	x[2].request(body{"state": "ok", "worker_id": "w3"})
	result := results.next()
	match(t, "the result", result, body{"state": "ok", "final": true})
	if got := votes(result); got != "w1 error, w2 ok, w3 ok" {
		t.Errorf("votes: %s", got)
	}
}

func TestAWorkerWhoseIdIsANumberHasOneVoteToo(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.voting(body{"voters": 2})
	voters, results := c.voters(station, 2), c.results(station)
	c.create(once(station).with(body{"exec_timeout": 30}))
	x := poll(voters)
	match(t, "a vote", x[0].request(body{"state": "ok", "worker_id": 7}), body{"accepted": true})
	match(t, "the same worker's second", x[1].request(body{"state": "ok", "worker_id": 7}), body{"accepted": false})
	match(t, "another's", x[1].request(body{"state": "ok", "worker_id": "8"}), body{"accepted": true})
	if got := votes(results.next()); got != "7 ok, 8 ok" {
		t.Errorf("votes: %s", got)
	}
}

func TestVotesWithoutAWorkerIdCountOneEach(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.voting(body{"voters": 3})
	voters, results := c.voters(station, 3), c.results(station)
	c.create(once(station).with(body{"exec_timeout": 30}))
	for _, x := range poll(voters) {
		results.empty("a result before the last vote")
		x.ok()
		c.flush()
	}
	result := results.next()
	match(t, "the result", result, body{"state": "ok", "final": true})
	if got := votes(result); got != "ok, ok, ok" {
		t.Errorf("votes: %s", got)
	}
}

func TestRunningAndWaitingAreNoVotes(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.voting(body{"voters": 2})
	voters, results := c.voters(station, 2), c.results(station)
	c.create(once(station).with(body{"plan_id": "p", "start_timeout": 10, "exec_timeout": 30}))
	x := poll(voters)
	match(t, "running", x[0].request(body{"state": "running", "worker_id": "w1"}), body{"accepted": true})
	match(t, "waiting", x[1].request(body{"state": "waiting", "worker_id": "w2", "extend": 60}), body{"accepted": true})
	results.empty("a result before a vote")
	x[0].request(body{"state": "ok", "worker_id": "w1"})
	x[1].request(body{"state": "ok", "worker_id": "w2"})
	match(t, "the result", results.next(), body{"state": "ok", "final": true})
}

func TestAtTheDeadlineTheVotesThatAreThereDecide(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		more  body
		votes string
		want  body
	}{
		{"two of three", body{"voters": 3}, "ok ok", body{"state": "ok", "final": true}},
		{"one of three is no quorum", body{"voters": 3}, "ok", body{"state": "failure", "reason": "retries", "final": true}},
		{"one of three, quorum 1", body{"voters": 3, "quorum": 1}, "ok", body{"state": "ok", "final": true}},
		{"none known: the answers within exec_timeout", body{}, "ok ok error", body{"state": "ok", "final": true}},
		{"none known, voted down", body{}, "error ok error", body{"state": "failure", "final": true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.voting(row.more)
			states := words(row.votes)
			voters, results := c.voters(station, 3), c.results(station)
			c.create(once(station).with(body{"exec_timeout": 9, "retry": body{"strategy": "none"}}))
			all := poll(voters)
			for i, state := range states {
				match(t, "a vote", all[i].request(body{"state": state, "worker_id": fmt.Sprintf("w%d", i)}), body{"accepted": true})
			}
			result := results.next()
			match(t, "the result", result, row.want.with(body{"n": 1}))
			if got := len(result.list("votes")); got != len(states) {
				t.Errorf("votes: %s", votes(result))
			}
			if end, deadline := result.time("end_time"), all[0].time("deadline"); end.Before(deadline) {
				t.Errorf("decided at %v, before the deadline %v", end, deadline)
			}
		})
	}
	t.Run("no vote", func(t *testing.T) {
		t.Parallel()
		c := onCommon(t)
		station := c.voting(body{"voters": 2})
		voters, results := c.voters(station, 2), c.results(station)
		id := c.create(once(station).with(body{"exec_timeout": 0.8, "retry": body{"strategy": "fixed_period", "interval": 5}})).text("plan_id")
		poll(voters)
		c.req("plans.update", name(station, id).with(body{"exec_timeout": 30})) // for the next execution
		match(t, "the result", results.next(), body{"n": 1, "state": "timeout", "final": false})
		for _, x := range poll(voters) {
			match(t, "the next attempt", x.body, body{"occurrence": 1, "attempt": 2})
			x.ok()
		}
		match(t, "its result", results.next(), body{"n": 2, "state": "ok", "final": true})
	})
}

func TestAVoteThatIsLostIsTriedAgainByAllVoters(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.voting(body{"voters": 2})
	voters, results, events := c.voters(station, 2), c.results(station), c.events(station)
	c.create(once(station).with(body{"plan_id": "p", "exec_timeout": 30}))
	first := poll(voters)
	first[0].request(body{"state": "ok", "worker_id": "w1"})
	first[1].request(body{"state": "error", "worker_id": "w2", "error": "no"})
	match(t, "the first result", results.next(), body{"n": 1, "state": "error", "final": false})
	second := poll(voters)
	match(t, "a late vote", first[1].request(body{"state": "error", "worker_id": "w2"}), body{"accepted": false, "cancel": true})
	for i, x := range second {
		match(t, "the second attempt", x.body, body{"occurrence": 1, "attempt": 2, "key": first[i].text("key")})
		x.request(body{"state": "ok", "worker_id": fmt.Sprintf("w%d", i+1)})
	}
	result := results.next()
	match(t, "the second result", result, body{"n": 2, "state": "ok", "final": true})
	if got := votes(result); got != "w1 ok, w2 ok" {
		t.Errorf("votes: %s", got)
	}
	events.of("closed")
	wantRuns(t, c.runs(station, "p"), "n=2 k=1 a=2 ok final", "n=1 k=1 a=1 error")
}

func TestWithoutVotersAllPresentWorkersVote(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.voting(nil)
	voters, results := c.voters(station, 2), c.results(station)
	c.present("v1-"+station, station)
	c.present("v2-"+station, station)
	c.known(station, "v1-"+station, "v2-"+station)
	c.create(once(station).with(body{"exec_timeout": 30}))
	x := poll(voters)
	x[0].request(body{"state": "ok", "worker_id": "v1-" + station})
	results.empty("a result before the second vote")
	x[1].request(body{"state": "ok", "worker_id": "v2-" + station})
	match(t, "the result", results.next(), body{"state": "ok", "final": true})
}

func TestAVoteStationWithoutSubscribersHasNoWorker(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.voting(body{"voters": 1})
	events, results := c.events(station), c.results(station)
	c.create(once(station))
	match(t, "not_worker", events.of("not_worker"), body{"n": 1})
	voters := c.voters(station, 1)
	poll(voters)[0].ok()
	match(t, "the result", results.next(), body{"n": 1, "attempt": 1, "state": "ok"})
}

func TestAQuorumThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	for what, more := range map[string]struct {
		more  body
		field string
	}{
		"above the voters": {body{"voters": 2, "quorum": 3}, "quorum"},
		"of 0":             {body{"voters": 2, "quorum": 0}, "quorum"},
		"of 0 voters":      {body{"voters": 0}, "voters"},
	} {
		if e := c.refused("stations.put", body{"station": station, "kind": "vote"}.with(more.more)); e.text("field") != more.field {
			t.Errorf("a station with a quorum %s: %v", what, e)
		}
		if e := c.refused("plans.create", once(station).with(more.more)); e.text("field") != more.field || e.text("code") != "invalid_plan" {
			t.Errorf("a plan with a quorum %s: %v", what, e)
		}
	}
	if e := c.refused("stations.get", body{"station": station}); e.text("code") != "not_found" {
		t.Errorf("stored all the same: %v", e)
	}
	if e := c.refused("plans.create", body{"station": c.voting(nil), "plan_type": "none"}); e.text("field") != "command" {
		t.Errorf("a vote without a command: %v", e)
	}
}

func TestAVoteIsTriggeredCancelledAndUpdatedLikeAnyExecution(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.voting(body{"voters": 2})
	voters, results, cancels := c.voters(station, 2), c.results(station), c.cancels(station)
	c.create(grid(station))
	c.req("plans.trigger", name(station, "p"))
	x := poll(voters)
	x[0].request(body{"state": "ok", "worker_id": "w1"})
	c.req("plans.cancel", name(station, "p").with(body{"n": 1}))
	match(t, "the cancel", cancels.next(), body{"n": 1, "occurrence": 0})
	match(t, "the result", results.next(), body{"n": 1, "state": "cancelled", "trigger": "manual", "final": true})
	match(t, "a vote that comes too late", x[1].request(body{"state": "ok", "worker_id": "w2"}), body{"accepted": false, "cancel": true})
	c.req("plans.update", name(station, "p").with(body{"quorum": 1}))
	c.req("plans.trigger", name(station, "p"))
	for i, x := range poll(voters) {
		x.request(body{"state": words("ok error")[i], "worker_id": fmt.Sprint("w", i)})
	}
	result := results.next()
	match(t, "with a quorum of one", result, body{"n": 2, "state": "ok", "final": true})
	if got := votes(result); got != "w0 ok, w1 error" {
		t.Errorf("votes: %s", got)
	}
}

func TestVotesSurviveKill9(t *testing.T) {
	t.Parallel()
	inBothOfTheirOwn(t, func(t *testing.T, s *server, c *client) {
		c.req("stations.put", body{"station": "v", "kind": "vote", "voters": 3})
		voters, results := c.voters("v", 3), c.results("v")
		c.create(once("v").with(body{"exec_timeout": 60}))
		x := poll(voters)
		x[0].request(body{"state": "ok", "worker_id": "v1", "content": 1})
		x[1].request(body{"state": "error", "worker_id": "v2"})
		s.kill9()
		s.restart(t)
		c.flush()
		match(t, "the last vote", x[2].request(body{"state": "ok", "worker_id": "v3"}), body{"ack": true, "accepted": true})
		result := results.next()
		match(t, "the result", result, body{"n": 1, "attempt": 1, "state": "ok", "final": true})
		if got := votes(result); got != "v1 ok, v2 error, v3 ok" {
			t.Errorf("votes: %s", got)
		}
	})
}

// Without a list of voters, the workers are awaited that announce themselves at the very
// station, not those that at their own station announce others.
func TestAWorkerOfAnotherStationIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	jury, other := c.voting(nil), c.station()
	juror, results := c.voters(jury, 1), c.results(jury)
	c.here(jury+"-juror", jury)
	c.known(jury, jury+"-juror")
	if err := c.nc.Publish("worker.here."+other+"-stranger."+other, c.encode(body{"worker_id": other + "-stranger", "stations": []string{other, jury}})); err != nil {
		t.Fatal(err)
	}
	c.known(other, other+"-stranger")
	c.create(once(jury).with(body{"plan_id": "p", "exec_timeout": 60, "retry": body{"strategy": "none"}}))
	poll(juror)[0].send(body{"state": "ok", "worker_id": jury + "-juror"})
	match(t, "the result", results.next(), body{"state": "ok"})
	if got := votes(c.runs(jury, "p")[0]); got != jury+"-juror ok" {
		t.Errorf("the votes are %q", got)
	}
}
