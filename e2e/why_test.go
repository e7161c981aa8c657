package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// An operator is paged at night, because a report did not run. One command shows the reason, who
// stopped the plan, and when it runs next; another shows the other plans that wait.
func TestAPersonPagedAtNightFindsTheCause(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	c.serve(station, func(*execution) any { return body{"state": "ok"} })
	results := c.results(station)
	plan := station + "/report"
	says := func(line string, want ...string) string {
		t.Helper()
		out, errs, code := cli(t, "", append(strings.Fields(line), plan)...)
		text := out + errs
		if code != 0 {
			t.Fatalf("%s: exit code %d, %s", line, code, text)
		}
		for _, w := range want {
			if !regexp.MustCompile(w).MatchString(text) {
				t.Errorf("%s: %q is missing in\n%s", line, w, text)
			}
		}
		return text
	}

	c.create(body{"station": station, "plan_id": "report", "command": "c", "plan_type": "cron", "cron": "* * * * * *", "timezone": "Europe/Berlin"})
	match(t, "the first run", results.next(), body{"occurrence": 1, "state": "ok"})
	says("plan why --occurrence 1", `^Occurrence 1 \(.* in Europe/Berlin\) ran`, `(?m)^next +occurrence \d+, \w{3} `)
	if _, errs, code := cli(t, "", "plan", "pause", plan, "--by", "bob@desk", "--note", "storage is full"); code != 0 {
		t.Fatal(errs)
	}
	skipped := results.until(func(r body) bool { return r.text("reason") == "paused" })
	missing := skipped[len(skipped)-1]

	// Why did it not run, and when will it?
	says("plan why", `bob@desk`, `storage is full`, "(?m)^remedy +`stationmaster plan resume "+plan+"`",
		`(?m)^next +none while it is paused; if it is resumed by then: \w{3} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d CES?T$`, `(?m)^last ok +occurrence \d+, ended \w{3} .* CES?T$`)
	why := says("plan why --run "+fmt.Sprint(missing.int("n")), `^Occurrence \d+ \(.* in Europe/Berlin\)`, `did not run`, `bob@desk`, `storage is full`)
	at := missing.time("plan_time").UTC()
	sentence := func(text string) string { first, _, _ := strings.Cut(text, "\n"); return first }
	if again := says("plan why --at " + at.Format(time.RFC3339Nano)); sentence(again) != sentence(why) {
		t.Errorf("by its time:\n%s\nby its number:\n%s", again, why)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	says("plan why --at "+at.In(berlin).Format("2006-01-02T15:04:05"), `^Occurrence \d+ `)
	says("plan why --lang zh", `bob@desk`, `storage is full`, `\p{Han}`)
	says("plan get", "(?m)^why +stationmaster plan why "+plan+"$")
	says("plan runs", `(?m)^note: run \d+ ended as skipped; why: stationmaster plan why `+plan+` --run \d+$`)

	if out, errs, code := cli(t, "", "why", station); code != 0 || out != "nothing waits\n" || !strings.Contains(errs, "stationmaster plan ls "+station+" --status paused") {
		t.Errorf("why: exit code %d, %s%s", code, out, errs)
	}
	if _, errs, code := cli(t, "", "plan", "resume", plan); code != 0 {
		t.Fatal(errs)
	}
	results.until(func(r body) bool { return r.text("state") == "ok" })
	says("plan why", `(?m)^next +occurrence \d+, \w{3} `)
}

// Waiting plans are shown by station and cause, and lists are filtered by the cause.
func TestWhyShowsWhatWaits(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, events := c.worker(station+".limit"), c.events(station+".nobody")
	c.req("stations.put", body{"station": station + ".limit", "max_concurrency": 1})
	for _, id := range []string{"a", "b", "c"} {
		c.create(body{"station": station + ".limit", "plan_id": id, "command": "c", "plan_type": "none"})
	}
	work.take()
	c.create(body{"station": station + ".nobody", "plan_id": "p", "command": "c", "plan_type": "none"})
	events.of("not_worker")

	out, errs, code := cli(t, "", "why", station+".>", "--limit", "1")
	want := regexp.MustCompile(`^` + station + `\.limit: 2 plans wait for a place within a limit
  ` + station + `\.limit/[abc]  for \S+, occurrence 1, since .*
  and 1 more: stationmaster plan ls ` + station + `\.limit --waits room
` + station + `\.nobody: 1 plan waits for a worker
  ` + station + `\.nobody/p  for \S+, occurrence 1, since .*\n$`)
	if code != 0 || !want.MatchString(out) || !strings.Contains(errs, "stationmaster plan why "+station+".limit/") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	out, errs, code = cli(t, "", "why", "--station", station+".>", "--waits", "worker,lock", "--json")
	v, err := decodeJSON([]byte(out))
	if code != 0 || err != nil {
		t.Fatalf("exit code %d, %v, %s%s", code, err, out, errs)
	}
	all := body(v.(map[string]any)).list("waits")
	if len(all) != 1 {
		t.Fatalf("%v", all)
	}
	match(t, "what waits for a worker", all[0], body{"station": station + ".nobody", "plan_id": "p", "for": "worker", "occurrence": 1})
	if out, errs, code := cli(t, "", "why", station+".nobody/p"); code != 0 || !strings.Contains(out, "for a worker of station "+station+".nobody") {
		t.Errorf("of one plan: exit code %d, %s%s", code, out, errs)
	}
	for waits, number := range map[string]int{"room": 2, "worker": 1, "lock": 0, "claim": 0} {
		if got := c.req("plans.list", body{"station": station + ".>", "waits": waits}).list("plans"); len(got) != number {
			t.Errorf("%d plans wait for %s, want %d: %v", len(got), waits, number, got)
		}
	}
	for line, message := range map[string]string{
		"why --waits workers": `did you mean "worker"`, "why " + station + "/p": "there is no plan " + station + "/p",
	} {
		if out, errs, code := cli(t, "", strings.Fields(line)...); code == 0 || out != "" || !strings.Contains(errs, message) {
			t.Errorf("%s: exit code %d, %s%s", line, code, out, errs)
		}
	}
}

// Workers were notified of a queue and failed; meanwhile another client has its items, and the
// next notification waits for the end of that lock.
func TestAPlanWaitsForAnInboxThatIsHandedOver(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	key := station + "/key"
	work := c.worker(station)
	c.req("queues.push", body{"key": key, "task": 1, "station": station})
	x := work.take()
	x.request(body{"state": "error", "error_info": "busy"})
	c.req("queues.get", body{"key": key, "number": 1, "timeout": 60, "random": "r"})
	plan := body{"station": station, "plan_id": x.text("plan_id")}
	retry := c.req("plans.explain", plan).obj("waits")
	match(t, "until its retry", retry, body{"for": "retry"})
	c.passed(retry.time("next"))

	sentence := ` waits since [\d:]{5,8}: the items of its inbox are handed over, as occurrence 2\. 1 error so far, at [\d:]{5,8}: the agent gave no reason$`
	why := c.req("plans.explain", plan)
	match(t, "the explanation", why, body{"verdict": "waits", "occurrence": 1})
	match(t, "the lock", why.obj("because"), body{"occurrence": 2, "n": 2, "state": "running", "since": present})
	match(t, "the wait", why.obj("waits"), body{"for": "lock", "occurrence": 1, "n": 1, "since": present, "next": present})
	if s := why.text("sentence"); !regexp.MustCompile(`^Occurrence 1 \(.*\)` + sentence).MatchString(s) {
		t.Errorf("the sentence is %q", s)
	}
	for _, of := range []struct{ line, want string }{
		{"plan why " + station + "/" + key, `(?m)^Occurrence 1 \(.*\)` + sentence},
		{"plan why --lang zh " + station + "/" + key, `^第 1 次（.*）自 [\d:]{5,8} 起等待：收件箱的条目正在交付，即第 2 次。`},
		{"why " + station, `1 plan waits for an inbox that is handed over\n +` + station + "/" + key + ` +for `},
	} {
		if out, errs, code := cli(t, "", strings.Fields(of.line)...); code != 0 || !regexp.MustCompile(of.want).MatchString(out) {
			t.Errorf("%s: exit code %d, %s%s", of.line, code, out, errs)
		}
	}
	listed := c.pages("plans.list", "plans", body{"station": station, "waits": "lock"})
	if len(listed) != 1 || listed[0].obj("plan").text("plan_id") != plan.text("plan_id") {
		t.Errorf("plans that wait for a lock: %v", listed)
	}
	c.req("queues.delete", body{"key": key})
}
