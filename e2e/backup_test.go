package e2e

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A saved plan is a line of a backup.
type saved struct{ definition, record body }

func (s saved) at() string { return s.definition.text("station") + "/" + s.definition.text("plan_id") }

// open are the occurrences that were not settled, by number.
func (s saved) open() map[int64]body {
	open := map[int64]body{}
	for _, o := range s.record.list("open") {
		open[o.int("occurrence")] = o
	}
	return open
}

// export writes a backup of a server and reads it.
func export(t *testing.T, s *server) (file string, plans map[string]saved) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "backup.jsonl")
	if out, errs, code := command(t, "", "export", "--out", file, "--nats-url", "nats://"+s.nats); code != 0 {
		t.Fatalf("export: exit code %d, %s%s", code, out, errs)
	}
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	plans = map[string]saved{}
	scanner := bufio.NewScanner(in)
	for scanner.Scan() {
		v, err := decodeJSON(scanner.Bytes())
		line, isMap := v.(map[string]any)
		if err != nil || !isMap {
			t.Fatalf("%v: %q", err, scanner.Text())
		}
		if !body(line).has("record") {
			continue
		}
		p := saved{body(line).obj("plan"), body(line).obj("record")}
		if raw, ok := line["raw"].(string); ok {
			bytes, err := base64.StdEncoding.DecodeString(raw)
			if err != nil {
				t.Fatal(err)
			}
			v, err := map[string]codec{"json": inJSON, "msgpack": inMsgPack}[body(line).text("encoding")].decode(bytes)
			if err != nil {
				t.Fatal(err)
			}
			p.definition = v.(map[string]any)
		}
		plans[p.at()] = p
	}
	return file, plans
}

// A deliveryLedger records the occurrences that workers received.
type deliveryLedger struct {
	mu  sync.Mutex
	got map[string]map[int64][]body // by station/plan_id, then occurrence
}

func (b *deliveryLedger) serve(c *client, station string) {
	b.got = map[string]map[int64][]body{}
	c.serve(station, func(x *execution) any {
		b.mu.Lock()
		defer b.mu.Unlock()
		at := station + "/" + x.text("plan_id")
		if b.got[at] == nil {
			b.got[at] = map[int64][]body{}
		}
		b.got[at][x.int("occurrence")] = append(b.got[at][x.int("occurrence")], x.body)
		return body{"state": "ok"}
	})
}

// An installation is exported while it works, and lost. The plans that its backup restores in an
// empty one go on where they stood.
func TestABackupRestoresEveryPlanAsItStood(t *testing.T) {
	t.Parallel()
	const idle, load, repet = 1500, 10, 12
	source := start(t)
	c := connect(t, source, inJSON)
	c.req("stations.put", body{"station": "vote", "kind": "vote", "voters": 2, "description": "of two"})
	c.req("stations.put", body{"station": "still", "exec_timeout": 3000, "start_timeout": 2000})

	votes, still := c.listen("station.vote"), c.worker("still")
	c.serve("bad", func(x *execution) any { return body{"state": x.text("command")} })
	var many []body
	for i := range idle {
		many = append(many, body{"station": "idle", "plan_id": fmt.Sprintf("i%04d", i), "command": "c", "plan_type": "cron", "cron": "@yearly"})
	}
	c.req("plans.import", body{"plans": many[:1000]})
	c.req("plans.import", body{"plans": many[1000:]})
	for _, enc := range []codec{inJSON, inMsgPack} {
		c := connect(t, source, enc)
		c.standing(enc.name)
		still.take() // of station still, which does not answer
		asked := votes.msg()
		x := &execution{body: c.open(asked), c: c, msg: asked, enc: speaks(asked.Data)}
		x.request(body{"state": "ok", "worker_id": "a"}) // one of two
		for i := range load {
			c.create(body{
				"station": "load", "plan_id": fmt.Sprintf("l%d-%s", i, enc.name), "command": "c", "messages": []any{1.5, nil, "x"},
				"plan_type": "second", "plan_value": 1, "plan_repet": repet, "overlap": "queue", "catch_up": "full",
			})
		}
	}
	halted(t, c)
	before, done := &deliveryLedger{}, c.results("load")
	before.serve(c, "load")
	done.until(func(r body) bool { return r.int("occurrence") >= 3 })

	file, plans := export(t, source)
	standing := map[string]body{}
	for at := range plans {
		if station, id, _ := strings.Cut(at, "/"); station != "load" && station != "idle" {
			standing[at] = c.state(station, id)
		}
	}
	source.kill9() // and it is lost
	if len(plans) != idle+2*(load+len(kindsOfPlans)) {
		t.Errorf("the backup holds %d plans", len(plans))
	}

	target := start(t)
	c = connect(t, target, inJSON)
	after, ends := &deliveryLedger{}, c.results("load")
	after.serve(c, "load")
	url := "nats://" + target.nats
	if out, errs, code := command(t, "", "import", "-f", file, "--nats-url", url); code != 0 || !strings.HasPrefix(out, fmt.Sprintf("restored 2 stations and %d plans,", len(plans))) {
		t.Fatalf("import: exit code %d, %q %q", code, out, errs)
	}

	match(t, "the station", c.req("stations.get", body{"station": "vote"}), body{"kind": "vote", "voters": 2, "description": "of two"})
	for at, was := range standing {
		station, id, _ := strings.Cut(at, "/")
		got := c.req("plans.get", name(station, id))
		is := got.obj("state")
		if diff := cmp.Diff(same(plans[at].definition), same(got.obj("plan"))); diff != "" {
			t.Errorf("the definition of %s (-exported +restored):\n%s", at, diff)
		}
		match(t, at, is, was.without("open", "n", "attempt", "exec_time", "incarnation"))
		if inFlight := was.text("status") == "executing"; inFlight != (is.int("n") == was.int("n")+1) {
			t.Errorf("%s was %s at number %d, and is at %d", at, was.text("status"), was.int("n"), is.int("n"))
		}
	}
	if plans := c.pages("plans.list", "plans", body{"station": "idle", "limit": 1000}); len(plans) != idle {
		t.Errorf("%d idle plans are back", len(plans))
	}

	// Each plan of the load ends at the occurrence where it would have ended.
	for left := 2 * load; left > 0; {
		if r := ends.next(); r.int("occurrence") == repet && r.bool("final") {
			left--
			if r.int("real_repet") != repet || r.int("skip_num") != 0 {
				t.Errorf("%s ends with %v", r.text("plan_id"), r)
			}
		}
	}
	after.mu.Lock()
	defer after.mu.Unlock()
	for at, p := range plans {
		if p.definition.text("station") != "load" {
			continue
		}
		open := p.open()
		for k := int64(1); k <= repet; k++ {
			_, isOpen := open[k]
			times := len(after.got[at][k])
			if wanted := isOpen || k > p.record.int("occurrence"); times != map[bool]int{true: 1, false: 0}[wanted] {
				t.Errorf("occurrence %d of %s ran %d times after the restore; the backup is at %d, open are %v", k, at, times, p.record.int("occurrence"), open)
			}
			for _, x := range after.got[at][k] {
				if due := p.record.time("accepted").Add(time.Duration(k) * time.Second); !x.time("plan_time").Equal(due) {
					t.Errorf("occurrence %d of %s is due %v, and was due %v", k, at, x["plan_time"], due)
				}
			}
		}
	}
}

// A restore leaves existing plans alone.
func TestABackupOverWhatIsThere(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	c.req("stations.put", body{"station": "later", "description": "d"})
	for i := range 3 {
		c.create(body{"station": "later", "plan_id": fmt.Sprint("p", i), "command": "c", "plan_type": "cron", "cron": "@yearly"})
	}
	file, _ := export(t, s)
	url := "nats://" + s.nats
	if out, _, code := command(t, "", "import", "-f", file, "--on-conflict", "keep", "--nats-url", url); code != 0 || !strings.HasPrefix(out, "restored 0 stations and 0 plans, kept 1 stations and 3 plans") {
		t.Errorf("with keep: exit code %d, %q", code, out)
	}
	if out, errs, code := command(t, "", "import", "-f", file, "--nats-url", url); code != 1 || !strings.Contains(errs, "already_exists") {
		t.Errorf("exit code %d, %q %q", code, out, errs)
	}
}

// kindsOfPlans are plans that come to rest in their state, by id.
var kindsOfPlans = map[string]body{
	"time":      {"station": "later", "plan_type": "time", "plan_time": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)},
	"minute":    {"station": "later", "plan_type": "minute", "plan_value": 600, "plan_repet": 7},
	"hour":      {"station": "later", "plan_type": "hour", "plan_value": 5, "plan_repet": -1},
	"day":       {"station": "later", "plan_type": "day", "plan_value": 2, "plan_repet": 3},
	"week":      {"station": "later", "plan_type": "week", "plan_value": int(time.Now().UTC().Add(72 * time.Hour).Weekday()), "plan_repet": -1},
	"month":     {"station": "later", "plan_type": "month", "plan_value": 1 + (time.Now().UTC().Day()+10)%28, "plan_repet": 2},
	"cron":      {"station": "later", "plan_type": "cron", "cron": "30 2 1 1 *", "timezone": "America/New_York"},
	"paused":    {"station": "later", "plan_type": "hour", "plan_value": 5, "plan_repet": -1, "paused": true},
	"skipping":  {"station": "later", "plan_type": "hour", "plan_value": 5, "plan_repet": -1},
	"executing": {"station": "still", "plan_type": "none"},
	"voting":    {"station": "vote", "plan_type": "none", "exec_timeout": 3000},
	"failure":   {"station": "bad", "plan_type": "none", "command": "failure"},
	"error":     {"station": "bad", "plan_type": "none", "command": "error", "retry": body{"strategy": "fixed_period", "interval": 3000}},
	"pending":   {"station": "bad", "plan_type": "none", "command": "error", "retry": body{"strategy": "fixed_period", "max_error_count": 0, "need_manual": true}},
}

// standing creates one plan of each kind.
func (c *client) standing(suffix string) {
	c.t.Helper()
	for kind, plan := range kindsOfPlans {
		c.create(body{"plan_id": kind + "-" + suffix, "command": "c"}.with(plan))
	}
	c.req("plans.skip", name("later", "skipping-"+suffix).with(body{"count": 3}))
}

// halted waits until the plans of station bad have come to rest.
func halted(t *testing.T, c *client) {
	t.Helper()
	want := map[string]string{"failure": "plan_error", "error": "retrying", "pending": "pending"}
	for deadline := time.Now().Add(patience); ; {
		left := 0
		for _, p := range c.pages("plans.list", "plans", body{"station": "bad"}) {
			kind, _, _ := strings.Cut(p.obj("plan").text("plan_id"), "-")
			if p.obj("state").text("status") != want[kind] {
				left++
			}
		}
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d plans have not come to a halt", left)
		}
	}
}

// A backup that was cut off, or a file that is no backup, restores nothing.
func TestABackupThatIsNotWholeRestoresNothing(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	c.create(body{"station": station, "plan_id": "p", "command": "c", "plan_type": "cron", "cron": "@yearly"})
	file, _ := export(t, common)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c.req("plans.remove", name(station, "p"))
	lines := strings.SplitAfter(strings.TrimSpace(string(whole)), "\n")
	for _, tt := range []struct{ text, want string }{
		{strings.Join(lines[:len(lines)-1], ""), "it was cut off after"},
		{string(whole[:len(whole)-30]), fmt.Sprintf("line %d: byte ", len(lines))},
		{strings.Join(append(append([]string{}, lines[:1]...), lines[2:]...), ""), "lines are missing"},
		{strings.Join(lines[1:], ""), "it does not begin as"},
		{strings.Replace(string(whole), `"version":1`, `"version":2`, 1), "it is of version 2"},
		{lines[0] + strings.Repeat(" ", 3<<20) + strings.Join(lines[1:], ""), "line 2 of the backup: "},
		{"", "it has no last line"},
	} {
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, errs, code := cli(t, "", "import", "-f", file, "--on-conflict", "keep")
		if code != 1 || !strings.Contains(errs, tt.want) || out != "" {
			t.Errorf("want %q: exit code %d, %q %q", tt.want, code, out, errs)
		}
	}
	if e := c.refused("plans.get", name(station, "p")); e.text("code") != "not_found" {
		t.Errorf("something was restored: %v", e)
	}
}
