package stationmaster_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/stationmaster-io/stationmaster"

// mayImport is the architecture, which is each package with every package of the product that it
// may import. In words, schema imports no other but wire; machine and calendar know only schema's
// types; scheduler and worker meet only in schema's types, over NATS; node puts everything
// together. A package without an entry fails the test, because a new package is a decision.
var mayImport = map[string][]string{
	"schema/wire":                 {},
	"schema":                      {"schema/wire"},
	"scheduler/calendar":          {"schema"},
	"scheduler/calendar/describe": {"schema", "scheduler/calendar", "scheduler/calendar/exclude"},
	"scheduler/calendar/exclude":  {"schema", "schema/wire", "scheduler/calendar"},
	"scheduler/ahead":             {"schema", "schema/wire", "internal/command", "scheduler/machine/state", "scheduler/calendar", "scheduler/calendar/describe", "scheduler/calendar/exclude"},
	"scheduler/explain":           {"schema", "schema/wire", "internal/command"},
	"internal/simulate":           {"schema", "schema/wire", "internal/command", "scheduler/calendar", "scheduler/calendar/describe", "scheduler/calendar/exclude", "scheduler/machine", "scheduler/machine/batch", "scheduler/machine/event", "scheduler/machine/state"},
	"internal/command":            {"schema", "schema/wire"},
	"internal/wiretest":           {"schema/wire"},
	"internal/storage":            {"schema"},
	"scheduler/verb":              {"schema", "internal/command"},
	"scheduler/machine": {"schema", "schema/wire", "internal/command", "internal/storage", "scheduler/calendar", "scheduler/verb", "scheduler/machine/unit", "scheduler/machine/waiting", "scheduler/machine/presence", "scheduler/machine/state", "scheduler/machine/event", "scheduler/machine/batch", "scheduler/machine/view", "scheduler/machine/table", "scheduler/machine/claiming",
		"scheduler/machine/tally", "scheduler/machine/partition", "scheduler/machine/admission", "scheduler/machine/transition", "scheduler/machine/verdict", "scheduler/calendar/exclude"},
	"scheduler/sim":      {"schema", "schema/wire", "internal/command", "internal/storage", "scheduler/calendar", "scheduler/explain", "scheduler/machine", "scheduler/machine/batch", "scheduler/machine/event", "scheduler/machine/image", "scheduler/machine/tally", "scheduler/protocol"},
	"scheduler/protocol": {},
	"internal/running":   {},

	// The packages below the machine.
	"scheduler/machine/unit":     {},
	"scheduler/machine/image":    {},
	"scheduler/machine/waiting":  {"scheduler/machine/unit"},
	"scheduler/machine/tally":    {"schema", "scheduler/machine/unit"},
	"scheduler/machine/presence": {"schema", "scheduler/machine/unit"},
	"scheduler/machine/event":    {"schema", "schema/wire", "internal/command", "internal/storage"},
	"scheduler/machine/batch":    {"schema", "schema/wire", "scheduler/machine/event", "scheduler/machine/state"},
	"scheduler/machine/view":     {"schema", "schema/wire", "internal/command", "scheduler/calendar", "scheduler/machine/unit", "scheduler/machine/state"},
	"scheduler/machine/table":    {"schema", "scheduler/machine/unit", "scheduler/machine/event", "scheduler/machine/state"},
	"scheduler/machine/claiming": {"schema", "internal/command", "scheduler/machine/unit", "scheduler/machine/event", "scheduler/machine/state", "scheduler/machine/view"},
	"scheduler/machine/partition": {"schema", "schema/wire", "scheduler/machine/unit", "scheduler/machine/waiting", "scheduler/machine/presence",
		"scheduler/machine/event", "scheduler/machine/state", "scheduler/machine/table", "scheduler/machine/tally", "scheduler/machine/claiming", "scheduler/calendar/exclude"},
	"scheduler/machine/admission": {"schema", "scheduler/calendar", "scheduler/machine/unit", "scheduler/machine/waiting", "scheduler/machine/tally", "scheduler/machine/state", "scheduler/machine/partition"},
	"scheduler/machine/verdict": {"schema", "internal/command", "scheduler/calendar", "scheduler/machine/unit", "scheduler/machine/state",
		"scheduler/machine/partition", "scheduler/machine/admission"},
	"scheduler/machine/transition": {"schema", "schema/wire", "internal/command", "scheduler/calendar", "scheduler/machine/unit", "scheduler/machine/event", "scheduler/machine/state",
		"scheduler/machine/batch", "scheduler/machine/table", "scheduler/machine/tally", "scheduler/machine/claiming", "scheduler/machine/partition", "scheduler/machine/admission"},
	"scheduler/machine/state": {"schema", "schema/wire", "internal/command", "scheduler/calendar", "scheduler/machine/unit", "scheduler/machine/waiting", "scheduler/machine/tally", "scheduler/calendar/exclude"},

	"internal/listener": {},
	"broker":            {"schema", "schema/wire", "internal/storage", "scheduler/protocol"},
	"broker/embed":      {"internal/running", "internal/listener"},
	"broker/brokertest": {"schema", "broker"},
	"internal/queue":    {"schema", "schema/wire", "internal/command"},
	"internal/task":     {"schema", "schema/wire", "internal/command"},
	"internal/metrics":  {"schema"},
	"internal/incident": {"schema", "internal/metrics"},
	"scheduler/front":   {"schema", "schema/wire", "internal/command", "internal/storage", "scheduler/calendar", "scheduler/ahead", "scheduler/explain", "scheduler/verb", "broker", "internal/queue", "internal/task", "internal/metrics", "internal/incident", "scheduler/calendar/exclude"},
	"scheduler/follow":  {"schema", "broker", "scheduler/protocol", "scheduler/machine", "internal/metrics", "internal/incident", "scheduler/machine/event"},
	"scheduler/forward": {"schema", "schema/wire", "internal/command", "scheduler/verb", "internal/metrics", "internal/incident"},
	"scheduler/listen":  {"schema", "schema/wire", "internal/storage", "internal/running", "broker", "scheduler/machine", "internal/metrics", "internal/incident", "scheduler/machine/event"},
	"scheduler/storing": {"schema", "schema/wire", "internal/storage", "broker", "scheduler/protocol", "scheduler/machine", "internal/metrics", "internal/incident", "scheduler/machine/event"},
	"scheduler":         {"schema", "schema/wire", "internal/command", "internal/storage", "internal/running", "broker", "scheduler/verb", "scheduler/machine", "scheduler/front", "scheduler/follow", "scheduler/forward", "scheduler/listen", "scheduler/storing", "internal/metrics", "internal/incident", "scheduler/machine/batch", "scheduler/machine/event", "scheduler/protocol"},
	"worker":            {"schema", "schema/wire"},
	"worker/process":    {"schema", "schema/wire", "worker"},
	"worker/httpworker": {"schema", "schema/wire", "worker", "internal/token"},
	"client":            {"schema", "schema/wire"},
	"internal/manifest": {"schema", "schema/wire", "client", "internal/cronjob"},
	"internal/cronjob":  {"schema", "schema/wire", "client", "internal/command"},
	"internal/bulk":     {"schema", "schema/wire", "client"},
	"internal/ical":     {"schema"}, // which knows a calendar, and neither the client nor the scheduler
	"internal/gateway":  {"schema", "schema/wire", "client", "console", "internal/bulk", "internal/cronjob", "internal/queue", "internal/metrics", "internal/incident", "internal/token"},

	"console/build": {},                         // a module of its own
	"console":       {"internal/token", "docs"}, // which knows a path and a session
	"docs":          {},                         // its pages, for the help

	// Tokens are made by the worker and opened by the gateway.
	"internal/token": {},

	"stationtest":                {"schema", "client", "worker", "broker", "broker/brokertest", "scheduler", "scheduler/front"},
	"e2e/port":                   {},
	"internal/node":              {"*"},
	"internal/node/nodetest":     {"internal/node"},
	"internal/node/roles":        {"schema"},
	"cmd/stationmaster":          {"internal/node", "client", "internal/manifest", "internal/bulk", "internal/ical", "internal/simulate", "internal/cronjob", "internal/queue", "worker", "worker/process", "schema", "schema/wire"},
	"cmd/stationmaster-bench":    {"internal/bench", "internal/node"},
	"internal/bench":             {"*"}, // the packages that it measures
	"internal/bench/peers/river": {},    // a module of its own, without an import of the product
}

// mustNotReach names heavy dependencies that may not enter, even indirectly.
var mustNotReach = map[string][]string{
	"schema/wire":                 {"github.com/nats-io", "net/http"},
	"schema":                      {"github.com/nats-io", "net/http"},
	"scheduler/calendar":          {"github.com/nats-io", "net/http", "log/slog"},
	"scheduler/calendar/describe": {"github.com/nats-io", "net/http", "log/slog"},
	"scheduler/calendar/exclude":  {"github.com/nats-io", "net/http", "log/slog"},
	"scheduler/ahead":             {"github.com/nats-io", "net/http", "log/slog"},
	"scheduler/explain":           {"github.com/nats-io", "net/http", "log/slog"},
	"internal/simulate":           {"github.com/nats-io", "net/http", "log/slog", prometheus},
	"scheduler/verb":              {"github.com/nats-io", "net/http", "log/slog"},
	"scheduler/machine":           {"github.com/nats-io", "net/http", "log/slog", prometheus},
	"scheduler/protocol":          {"github.com/nats-io", "net/http", "log/slog", prometheus},
	"scheduler/sim":               {"github.com/nats-io", "net/http", "log/slog"},
	"broker":                      {natsServer},
	"internal/metrics":            {"github.com/nats-io"},
	"internal/queue":              {"github.com/nats-io", "net/http", "log/slog"},
	"internal/task":               {"github.com/nats-io", "net/http", "log/slog"},
	"scheduler/front":             {natsServer},
	"scheduler/follow":            {natsServer},
	"scheduler/forward":           {natsServer},
	"scheduler/listen":            {natsServer},
	"scheduler/storing":           {natsServer},
	"scheduler":                   {natsServer, module + "/worker"},
	"worker":                      {natsServer, prometheus},
	"worker/process":              {natsServer, prometheus},
	"worker/httpworker":           {natsServer, prometheus},
	"client":                      {natsServer, prometheus},
	"internal/bulk":               {natsServer, "net/http"},
	"internal/cronjob":            {natsServer, "net/http"},
	"internal/gateway":            {natsServer, module + "/scheduler", module + "/broker"},
}

const (
	natsServer = "github.com/nats-io/nats-server"
	prometheus = "github.com/prometheus" // packages that users link have no metrics
)

// pure are the packages that get the time as an argument and start nothing.
var pure = []string{
	"internal/command", "internal/simulate", "internal/storage", "scheduler/calendar", "scheduler/calendar/describe", "scheduler/calendar/exclude", "scheduler/ahead", "scheduler/verb", "scheduler/machine", "scheduler/protocol", "scheduler/sim",
	"scheduler/machine/unit", "scheduler/machine/waiting", "scheduler/machine/tally", "scheduler/machine/presence", "scheduler/machine/state",
	"scheduler/machine/event", "scheduler/machine/batch", "scheduler/machine/image",
	"scheduler/machine/view", "scheduler/machine/table", "scheduler/machine/claiming",
	"scheduler/machine/partition", "scheduler/machine/admission", "scheduler/machine/transition", "scheduler/machine/verdict", "scheduler/explain",
}

// A source is the code of one package of the product, without its tests.
type source struct {
	imports []string // packages of the product without the module's name
	files   []*ast.File
}

// sources are the packages of the product, by their folders.
func sources(t *testing.T) (map[string]*source, *token.FileSet) {
	t.Helper()
	all, set := map[string]*source{}, token.NewFileSet()
	eachGoFile(t, set, func(name string, file *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		pkg := path.Dir(name)
		s := all[pkg]
		if s == nil {
			s = &source{}
			all[pkg] = s
		}
		s.files = append(s.files, file)
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			s.imports = append(s.imports, strings.TrimPrefix(imported, module+"/"))
		}
	})
	return all, set
}

func TestImports(t *testing.T) {
	all, _ := sources(t)
	for pkg := range mayImport {
		if all[pkg] == nil {
			t.Errorf("%s is in mayImport, but is no package", pkg)
		}
	}
	for pkg, s := range all {
		allowed, listed := mayImport[pkg]
		if !listed {
			t.Errorf("%s is not in mayImport: decide what it may import", pkg)
		}
		for _, imported := range s.imports {
			ours := all[imported] != nil
			if ours && !slices.Contains(allowed, imported) && !slices.Contains(allowed, "*") {
				t.Errorf("%s imports %s", pkg, imported)
			}
		}
		for _, bad := range mustNotReach[pkg] {
			for imported := range reached(all, pkg) {
				if strings.HasPrefix(imported, strings.TrimPrefix(bad, module+"/")) {
					t.Errorf("%s reaches %s", pkg, imported)
				}
			}
		}
	}
}

// reached is all packages that pkg imports, directly or through others of the product.
func reached(all map[string]*source, pkg string) map[string]bool {
	seen := map[string]bool{}
	var walk func(string)
	walk = func(pkg string) {
		if all[pkg] == nil {
			return
		}
		for _, imported := range all[pkg].imports {
			if !seen[imported] {
				seen[imported] = true
				walk(imported)
			}
		}
	}
	walk(pkg)
	return seen
}

func TestPurePackagesHaveNoClockAndNoGoroutines(t *testing.T) {
	clock := []string{"Now", "Sleep", "After", "NewTimer", "NewTicker", "AfterFunc", "Since", "Until", "Tick"}
	all, set := sources(t)
	for _, pkg := range pure {
		for _, file := range all[pkg].files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.GoStmt:
					t.Errorf("%s: starts a goroutine", set.Position(n.Pos()))
				case *ast.SelectorExpr:
					of, ok := n.X.(*ast.Ident)
					if ok && of.Name == "time" && slices.Contains(clock, n.Sel.Name) {
						t.Errorf("%s: time.%s: the time comes in as an argument here", set.Position(n.Pos()), n.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

func TestEachPackageHasAComment(t *testing.T) {
	all, _ := sources(t)
	for pkg, s := range all {
		documented := func(f *ast.File) bool { return f.Doc != nil }
		if !slices.ContainsFunc(s.files, documented) {
			t.Errorf("%s: there is no package comment on the purpose of %s", pkg, path.Base(pkg))
		}
	}
}
