package console

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// work starts a worker of a station, which runs a command of the shell. It ends with the test.
func work(t *testing.T, s *server, station, id, command string) {
	t.Helper()
	worker := exec.Command(binary, "work", "--nats-url", s.nats, "--station", station, "--id", id, "--", "sh", "-c", command)
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = worker.Process.Kill() // it may have ended
		_ = worker.Wait()
	})
}

func TestTheWorkersAreListed(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/workers?station=mail")
	p.find("heading", "Workers")
	if got, _ := p.eval("document.querySelector('main').innerText").(string); !strings.Contains(got, "stationmaster work --station mail") || !strings.Contains(got, "nats reply station.mail") {
		t.Errorf("without a worker it says %s", got)
	}
	work(t, s, "mail", "mail-1", "true")
	work(t, s, "bills", "bills-1", "true")
	until(t, "the worker", func() bool { return len(p.rows("Workers")) == 1 })
	if row := p.rows("Workers")[0]; row[0] != "mail-1" || row[1] != "mail" || row[3] == "" {
		t.Errorf("the worker is %q", row)
	}
	p.goTo("/ui/workers")
	// The node's own worker is there, too.
	until(t, "all workers", func() bool { return len(p.rows("Workers")) == 3 })
	if rows := p.rows("Workers"); rows[0][0] != "bills-1" || rows[2][0] != "mail-1" {
		t.Errorf("the workers are %q", rows)
	}
	p.set("station", "mail")
	p.press(kb.Enter)
	until(t, "one worker", func() bool { return len(p.rows("Workers")) == 1 })
	if at := p.eval("location.search"); at != "?station=mail" {
		t.Errorf("the filter is in the address as %v", at)
	}
	p.click("link", "mail")
	p.find("heading", "mail")
	p.click("link", "mail-1")
	p.find("heading", "mail-1")
	p.quiet()
}

// A worker's page shows the executions that it has, and one of these can be cancelled there.
func TestAWorkerIsShown(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	s := serve(t)
	s.create("mail", "digest", body{"start_timeout": 0})
	work(t, s, "mail", "mail-1", "sleep 600")
	s.rest("POST", "/plans/mail/digest/trigger", body{})
	until(t, "the execution", func() bool {
		status, w := s.ask("GET", "/workers/mail-1", nil)
		held, _ := w["executions"].([]any)
		return status == 200 && len(held) == 1
	})
	p := openPage(t, s, "/ui/workers")
	p.click("link", "mail-1")
	p.find("heading", "mail-1")
	if rows := p.rows("Executions"); len(rows) != 1 || rows[0][0] != "1" || rows[0][1] != "mail/digest" || rows[0][4] == "" {
		t.Errorf("it has %q", rows)
	}
	if text, _ := p.eval("document.querySelector('main').innerText").(string); !strings.Contains(text, "stationmaster-go") {
		t.Errorf("it says %s", text)
	}
	for _, v := range p.violations(axe) {
		t.Error(v)
	}
	p.tabTo("button", "Cancel run")
	p.press(kb.Enter)
	p.find("dialog", "Cancel run 1")
	p.press(kb.Enter)
	until(t, "nothing in hand", func() bool { return len(p.rows("Executions")) == 0 })
	if status, run := s.ask("GET", "/plans/mail/digest/runs/1", nil); status != 200 || run["run"].(map[string]any)["state"] != "cancelled" {
		t.Errorf("the run is %v", run)
	}
	p.quiet()
	p.goTo("/ui/workers/nobody")
	p.find("heading", "nobody")
	if text, _ := p.eval("document.querySelector('main').innerText").(string); !strings.Contains(text, "No worker of this name") {
		t.Errorf("of one that is not there it says %s", text)
	}
}

// The cluster's page has the lists of REST, and names the clock by which "3 sec. ago" counts.
func TestTheClusterIsShown(t *testing.T) {
	t.Parallel()
	s := crowded(t)
	p := openPage(t, s, "/ui/cluster")
	p.find("heading", "Cluster")
	nodes, _ := s.rest("GET", "/nodes", nil)["nodes"].([]any)
	name, _ := nodes[0].(map[string]any)["node"].(string)
	if rows := p.rows("Nodes"); len(rows) != 1 || rows[0][0] != name || rows[0][1] != "0" || rows[0][4] == "" {
		t.Errorf("the nodes are %q", rows)
	}
	until(t, "the partition and its plans", func() bool {
		rows := p.rows("Partitions")
		return len(rows) == 1 && rows[0][1] == name && rows[0][3] == "3"
	})
	streams, _ := s.rest("GET", "/streams", nil)["streams"].([]any)
	if rows := p.rows("Streams"); len(rows) != len(streams) || len(rows) == 0 || !strings.Contains(rows[0][3], "B") {
		t.Errorf("the streams are %q", rows)
	}
	clocks := regexp.MustCompile("The clocks of " + name + " and of this browser agree within [0-9.]+ ms|The clock of " + name + " is [0-9.]+ ms (ahead|behind)")
	if text, _ := p.eval("document.querySelector('main').innerText").(string); !clocks.MatchString(text) {
		t.Errorf("of the clocks it says %s", text)
	}
	p.quiet()
}
