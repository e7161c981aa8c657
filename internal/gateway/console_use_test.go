package gateway

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// machineOnly are the routes that the console does not use, with the reason.
var machineOnly = map[string]string{
	"GET /openapi.json":                               "programs that write clients read it",
	"PUT /plans/{station}/{plan_id}":                  "a file has the whole definition; the form sends what was changed",
	"POST /plans/import":                              "of many plans from a file or another scheduler",
	"PUT /tasks/{id}":                                 "the same as PATCH, which the console sends",
	"GET /tasks/{id}/runs":                            "runs in the words of tasks; the console shows those of the plan",
	"POST /runs/{run_id}/cancel":                      "in the words of tasks; the console cancels the run of the plan",
	"POST /callbacks/{run_id}":                        "the called service sends it",
	"GET /calendars":                                  "calendars are kept in files, which stationmaster apply puts",
	"POST /calendars":                                 "calendars are kept in files",
	"GET /calendars/{calendar_id}":                    "calendars are kept in files",
	"PUT /calendars/{calendar_id}":                    "calendars are kept in files",
	"DELETE /calendars/{calendar_id}":                 "calendars are kept in files",
	"GET /calendars/{calendar_id}/days":               "calendars are kept in files",
	"POST /stations":                                  "the same as PUT, which the console sends",
	"GET /stations/{station}/stats":                   "the console has the counters with the record of the station",
	"POST /task-types":                                "the same as PUT, which the console sends",
	"POST /async-tasks/fetch":                         "agents fetch",
	"POST /async-tasks/{type}/{id}/report":            "agents report",
	"POST /queues/{key}/get":                          "workers lock; the console looks at the items",
	"POST /v3/queue/{merge_key}/{method}/{service}":   "publishers push so",
	"DELETE /v3/queue/{merge_key}/{method}/{service}": "publishers clear so",
}

// TestEachRouteIsUsedByTheConsoleOrForMachines holds the routes against the requests in the sources
// of the console.
func TestEachRouteIsUsedByTheConsoleOrForMachines(t *testing.T) {
	used := usedByConsole(t)
	known := map[string]bool{}
	for _, r := range routes {
		name := r.method + " " + strings.TrimPrefix(r.path, api)
		known[name] = true
		uses := slices.ContainsFunc(used, func(u use) bool { return u.means(&r, u.words) })
		switch reason := machineOnly[name]; {
		case !uses && reason == "":
			t.Errorf("%s: the console does not use it, and it is not listed as one for machines", name)
		case uses && reason != "":
			t.Errorf("%s: the console uses it, and it is listed as one for machines", name)
		}
	}
	for name := range machineOnly {
		if !known[name] {
			t.Errorf("%s is listed as one for machines, and is no route", name)
		}
	}
	for _, u := range used {
		if !slices.ContainsFunc(routes, func(r route) bool { return u.means(&r, "") }) {
			t.Errorf("%s asks for %s %q, which is no route", u.file, u.method, u.path)
		}
	}
}

// A use is a request in a source of the console. Of its path, what is computed is empty.
type use struct {
	file, method string
	path         []string
	words        string // the text of the file
}

// means reports whether u is a request of r. What is computed can be any name, and of the words of a
// path those that are quoted in words, or each where that is empty.
func (u use) means(r *route, words string) bool {
	path, ofRest := strings.CutPrefix(r.path, api+"/")
	names := strings.Split(path, "/")
	if !ofRest || u.method != r.method || len(names) != len(u.path) {
		return false
	}
	for i, name := range names {
		switch is := u.path[i]; {
		case is == name, strings.HasPrefix(name, "{"):
		case is == "" && (words == "" || strings.Contains(words, `"`+name+`"`)):
		default:
			return false
		}
	}
	return true
}

var (
	// `const path = ["plans", station, id];`
	aNamedPath = regexp.MustCompile(`const (\w+) = (\[[^\]]*\]);`)
	// `const address = restPath(["bulk", id]);`, and `request("DELETE", address)`
	aNamedAddress = regexp.MustCompile(`const (\w+) = restPath\((\[[^\]]*\]|\w+)`)
	ofAddress     = regexp.MustCompile(`request(?:<[^(]*>)?\("([A-Z]+)", (\w+)[,)]`)
	// `request("POST", restPath([...path, "trigger"]))`; without a method it is a GET, as is
	// `useSoonThenAll<Lines>(["timeline"], query)`.
	aRequest = regexp.MustCompile(`(?:"([A-Z]+)", |(address=\{|return |\bmethod, |\.method, )?)(?:restPath|useSoonThenAll<\w+>)\((\[[^\]]*\]|\w+)[,)]`)
	// `{ method: "DELETE", path: ["stations", name] }`
	aChange = regexp.MustCompile(`method: "([A-Z]+)", path(?:: (\[[^\]]*\]))?`)
)

// usedByConsole finds the requests in the sources of the console.
func usedByConsole(t *testing.T) (all []use) {
	files, err := filepath.Glob("../../console/app/*.ts*")
	if err != nil || len(files) == 0 {
		t.Fatalf("sources of the console: %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, ".d.ts") {
			all = append(all, usedIn(filepath.Base(file), string(text))...)
		}
	}
	return all
}

func usedIn(file, text string) (all []use) {
	paths, addresses := map[string]string{}, map[string]string{}
	for _, m := range aNamedPath.FindAllStringSubmatch(text, -1) {
		paths[m[1]] = m[2]
	}
	add := func(method, path string) {
		if named, is := paths[path]; is {
			path = named
		}
		for name, begin := range paths {
			path = strings.Replace(path, "..."+name, strings.Trim(begin, "[]"), 1)
		}
		if strings.HasPrefix(path, `["`) {
			all = append(all, use{file, method, segments(path), text})
		}
	}
	for _, m := range aNamedAddress.FindAllStringSubmatch(text, -1) {
		addresses[m[1]] = m[2]
	}
	for _, m := range ofAddress.FindAllStringSubmatch(text, -1) {
		add(m[1], addresses[m[2]])
	}
	for _, m := range aRequest.FindAllStringSubmatch(text, -1) {
		if m[2] == "" || m[2] == "return " {
			add(cmp.Or(m[1], "GET"), m[3])
		}
	}
	for _, m := range aChange.FindAllStringSubmatch(text, -1) {
		add(m[1], cmp.Or(m[2], "path"))
	}
	return all
}

// segments are the literal elements of a list of strings in TypeScript; others are empty.
func segments(list string) (all []string) {
	for one := range strings.SplitSeq(strings.Trim(list, "[]"), ", ") {
		word, quoted := strings.CutPrefix(one, `"`)
		if !quoted {
			word = ""
		}
		all = append(all, strings.TrimSuffix(word, `"`))
	}
	return all
}
