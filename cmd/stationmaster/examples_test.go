//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A treatment has the needs of an example, because it stands for a user's own machine.
type treatment struct {
	before  string   // commands that make the things that it names
	replace []string // old and new texts, in pairs
	fails   string   // it is refused with this text, in the state that there is
	parsed  string   // only its flags are checked, for this reason
}

// treatments are those of the examples that do not work as they are printed, in a folder with
// the files of exampleFiles, beside an installation with the README's plan, seven runs of it, and a
// worker at its station.
var treatments = map[string]treatment{
	"stationmaster damage acknowledge short.PLAN_JOURNAL":                                                            {fails: "short.PLAN_JOURNAL"},
	"stationmaster plan reset hello/office":                                                                          {fails: "only a plan in plan_error or pending can be reset"},
	"stationmaster plan pause --where 'station=mail,status=queued,labels.team=core'":                                 {fails: "no plan matches"},
	"stationmaster task retry --where 'type=invoice,from=-12h,text=disk full'":                                       {fails: "no task matches"},
	"stationmaster plan cancel hello/office 7":                                                                       {fails: "run 7 of hello/office has ended"},
	"stationmaster apply -f plans.yaml --dry-run":                                                                    {fails: "the installation differs from the files"},
	"stationmaster queue push digest-789 '{\"to\":789}' --at 10m --method POST --service https://example.org/digest": {before: "stationmaster queue rm digest-789 || true"},
	"stationmaster queue get chores --random $$ --number 5 --timeout 30": {
		before: `stationmaster queue push chores '"sweep"'`, replace: []string{"$$", "me"},
	},
	"stationmaster queue complete chores --random $$":                  {replace: []string{"$$", "me"}},
	"stationmaster task submit transcode --ext '{\"file\":\"a.mov\"}'": {before: "stationmaster task type put transcode"},
	"stationmaster task fetch --worker-id me --type invoice --wait 30s": {
		before: "stationmaster task type put invoice && stationmaster task submit invoice --id 4710",
	},
	"stationmaster task report invoice/4711 3-9f86d081884c7d65 Completed --result '{\"pages\":2}'": {
		before: "stationmaster task submit invoice --id 4711",
		replace: []string{"3-9f86d081884c7d65",
			`$(stationmaster task fetch --worker-id me --type invoice --json | sed -n 's/.*"id":"4711".*"exec_id":"\([^"]*\)".*/\1/p; t; s/.*"exec_id":"\([^"]*\)".*"id":"4711".*/\1/p')`},
	},
	"stationmaster periodic online nightly": {before: "stationmaster periodic put nightly --type bills --cron '0 3 * * *'"},
	"stationmaster calendar get weekends > weekends.json": {
		before: `echo '{"days":[{"weekday":"sat"}]}' | stationmaster calendar put weekends -f -`,
	},
	"stationmaster import -f backup.jsonl --dry-run":          {before: "stationmaster export --with-secrets --out backup.jsonl", replace: []string{"--dry-run", "--dry-run --on-conflict keep"}},
	"stationmaster import -f backup.jsonl --on-conflict keep": {before: "stationmaster export --with-secrets --out backup.jsonl"},
	"stationmaster import -f backup.jsonl --paused":           {before: "stationmaster export --with-secrets --out backup.jsonl", replace: []string{"--paused", "--paused --on-conflict keep"}},
	"stationmaster import -f backup.jsonl --resume":           {before: "stationmaster export --with-secrets --out backup.jsonl"},
	"stationmaster simulate --backup backup.jsonl --for 365d --html year.html": {
		before: "stationmaster export --with-secrets --out backup.jsonl", replace: []string{"365d", "3d"},
	},
	"stationmaster apply -f backup.yaml --dry-run": {
		before: "stationmaster plan export > backup.yaml", fails: "it is of another set", // because other examples make sets
	},
	"stationmaster plan export --set billing > billing.yaml": {before: "stationmaster apply -f plans.yaml --set billing --yes"},
	"stationmaster serve --data-dir /var/lib/stationmaster --nats-listen 0.0.0.0:4222 --nats-users-file users": {
		replace: []string{"/var/lib/stationmaster", "data", "0.0.0.0:4222", "0.0.0.0:0"},
	},
	"stationmaster serve --nats-url nats://nats-1:4222,nats://nats-2:4222 --replicas 3": {parsed: "it needs a cluster of nats-servers"},
	"stationmaster serve --node a --cluster-name sm --cluster-listen 0.0.0.0:6222 --cluster-routes nats://a:6222,nats://b:6222,nats://c:6222 --cluster-key-file cluster.key": {
		parsed: "it needs two more machines",
	},
}

// exampleFiles are those that examples name.
var exampleFiles = map[string]string{
	"plans.yaml":            "plans:\n  - {station: hello, plan_id: listed, command: greet, plan_type: cron, cron: '0 9 * * *'}\n",
	"deploy/plans.yaml":     "stations:\n  - {station: mail}\nplans:\n  - {station: mail, plan_id: daily, command: send, plan_type: cron, cron: '0 9 * * *'}\n",
	"deploy-new/plans.yaml": "plans:\n  - {station: mail, plan_id: daily, command: send, plan_type: cron, cron: '0 8 * * *'}\n",
	"plans.ndjson":          `{"station":"hello","plan_id":"of-a-line","command":"greet","plan_type":"cron","cron":"0 9 * * *"}` + "\n",
	"backup.json":           `{"plans":[{"plan":{"station":"hello","plan_id":"of-a-page","command":"greet","plan_type":"cron","cron":"0 9 * * *"}}]}` + "\n",
	"holidays.ics":          "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;VALUE=DATE:20270101\r\nSUMMARY:New Year\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
	"token.txt":             "a secret of a file",
	"invoice.json":          `{"code":"invoice","name":"Invoices","config":{"callback":{"success":{"url":"https://example.org/done","method":"POST"}}}}`,
	"users":                 "worker-1 0123456789abcdef0123 worker mail\n",
	"stationmaster.toml":    "data-dir = \"data-of-the-file\"\n",
	"bin/crontab":           "#!/bin/sh\necho '0 9 * * * echo hello'\n",
	"bin/jq":                "#!/bin/sh\nsed 's/^{\"plans\":\\[{\"plan\"://; s/}\\]}$//' \"$3\"\n",
	"bin/nats":              "#!/bin/sh\ncase $1 in sub) printf '\\201\\241a\\001' | $4 ;; kv) printf '\\201\\241a\\001' ;; esac\n",
	"backup.sh":             "#!/bin/sh\n",
	"resize.sh":             "#!/bin/sh\n",
	"deploy/calendars/none": "",
}

// Every example of every command's help works.
func TestEachExampleWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a hundred programs")
	}
	t.Parallel()
	dir := t.TempDir()
	for name, text := range exampleFiles {
		writeExample(t, filepath.Join(dir, name), text)
	}
	calendar, err := os.ReadFile(filepath.Join("..", "..", "deploy", "calendars", "us-federal.json"))
	if err != nil {
		t.Fatal(err)
	}
	writeExample(t, filepath.Join(dir, "deploy", "calendars", "us-federal.json"), string(calendar))
	env := append(installation(t), "PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "TOKEN=of the environment")
	sh := func(script string) {
		t.Helper()
		if out, err := runPrinted(t.Context(), dir, env, script); err != nil {
			t.Fatalf("%s\n%v\n%s", script, err, out)
		}
	}
	sh("stationmaster work --station hello --quiet -- echo hello > /dev/null 2>&1 & echo $! > worker.pid")
	defer func() { sh("kill $(cat worker.pid)") }()
	sh(`for n in 1 2 3 4 5 6 7; do stationmaster plan trigger hello/office > /dev/null
		until stationmaster plan run hello/office $n --json 2>&1 | grep -q '"state":"ok"'; do :; done; done`)

	used, run := map[string]bool{}, 0
	eachExample(newRoot(func() {}), func(cmd *cobra.Command, example string) {
		how, treated := treatments[example]
		used[example] = treated
		run++
		t.Run(cmd.CommandPath(), func(t *testing.T) { workExample(t, dir, env, example, how) })
	})
	for example := range treatments {
		if !used[example] {
			t.Errorf("no command has this example: %s", example)
		}
	}
	if run < 70 {
		t.Errorf("only %d examples were found", run)
	}
}

func writeExample(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	mode := os.FileMode(0o600)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// workExample runs an example as it is treated.
func workExample(t *testing.T, dir string, env []string, example string, how treatment) {
	if how.parsed != "" {
		parseExample(t, example)
		return
	}
	if how.before != "" {
		if out, err := runPrinted(t.Context(), dir, env, how.before); err != nil {
			t.Fatalf("before %s:\n%s\n%v\n%s", example, how.before, err, out)
		}
	}
	command := strings.NewReplacer(how.replace...).Replace(example)
	if startsOne.MatchString(command) {
		env = append(slices.Clip(env), "STATIONMASTER_NATS_URL=")
	}
	out, err := runPrinted(t.Context(), dir, env, command)
	switch {
	case how.fails == "" && err != nil:
		t.Errorf("%s\n%v\n%s", example, err, out)
	case how.fails != "" && (err == nil || !strings.Contains(out, how.fails)):
		t.Errorf("%s\nends with %v, want %q\n%s", example, err, how.fails, out)
	}
}

// parseExample checks the command and the flags of an example.
func parseExample(t *testing.T, example string) {
	t.Helper()
	cmd, rest, err := newRoot(func() {}).Find(strings.Fields(example)[1:])
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err != nil {
		t.Errorf("%s: %v", example, err)
	}
}

// shown is a command of ours in a page of the console.
var shown = regexp.MustCompile("<Command>(?:{`)?(stationmaster [^<`]*)")

// Each of our commands that the console shows is one, with flags that there are.
func TestEachCommandOfTheConsoleIsOne(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", "..", "console", "app", "*.tsx"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range shown.FindAllSubmatch(text, -1) {
			parseExample(t, string(command[1]))
			found++
		}
	}
	if found < 7 {
		t.Errorf("only %d commands were found", found)
	}
}

// remark is a comment behind a command.
var remark = regexp.MustCompile(`\s{2,}#.*$`)

// eachExample calls f with each example of a command and of those below it, without remarks and on
// one line.
func eachExample(cmd *cobra.Command, f func(cmd *cobra.Command, example string)) {
	begun := ""
	for line := range strings.Lines(cmd.Example) {
		line = strings.TrimSpace(remark.ReplaceAllString(strings.TrimRight(line, "\n"), ""))
		goesOn := strings.HasSuffix(line, "\\") || strings.HasSuffix(line, "&&")
		begun += strings.TrimSuffix(line, "\\")
		if goesOn {
			begun = strings.TrimRight(begun, " ") + " "
			continue
		}
		if begun != "" {
			f(cmd, begun)
		}
		begun = ""
	}
	for _, sub := range cmd.Commands() {
		eachExample(sub, f)
	}
}
