package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A disk changes a byte in the file of one stream while the program is stopped. The program
// starts with each damaged file, or names the cause. It has all acknowledged plans, items and
// stations and signs as before, or its log and /readyz report the loss. It goes on working.
func TestAByteThatADiskChangedIsNoLossInSilence(t *testing.T) {
	t.Parallel()
	const plans = 30
	s := start(t)
	c := connect(t, s, inJSON)
	c.req("stations.put", body{"station": "kept", "description": "d"})
	c.req("secrets.put", body{"name": "partner", "value": "v", "hosts": []any{"https://example.org"}})
	c.serve("w", ok)
	results := c.results("w")
	for i := range plans {
		c.create(once("w").with(body{"plan_id": fmt.Sprint("done", i)}))
		results.next()
		c.create(far("kept").with(body{"plan_id": fmt.Sprint("first", i)}))
		c.req("queues.push", body{"key": "q", "task": i})
	}
	signing := string(row(t, bucket(t, c, "leaders"), "installation", true))
	row(t, bucket(t, c, "plans"), fmt.Sprint("state.kept.first", plans-1), true)
	for i := range plans { // the bucket has not all of them
		c.create(far("kept").with(body{"plan_id": fmt.Sprint("then", i)}))
		c.req("queues.push", body{"key": "q", "task": i})
	}
	s.kill9()
	for _, stream := range words("KV_leaders KV_plans KV_secrets KV_stations PLAN_JOURNAL PLAN_QUEUES PLAN_RESULTS") {
		for _, part := range []int{10, 2} {
			t.Run(fmt.Sprintf("%s/%d", stream, part), func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				if err := os.CopyFS(folder, os.DirFS(s.dir)); err != nil {
					t.Fatal(err)
				}
				flip(t, filepath.Join(folder, "jetstream", "$G", "streams", stream, "msgs", "1.blk"), part)
				s, err := launch(folder)
				if err != nil {
					if !strings.Contains(err.Error(), "stationmaster: ") && !serverCannotLoad(err, stream) {
						t.Errorf("it does not start, and gives no reason: %v", err)
					}
					return
				}
				defer s.kill9()
				c := connect(t, s, inJSON)
				there := len(c.pages("plans.list", "plans", body{"station": "kept"}))
				items := c.open(c.answered("queues.info", []byte(`{"key":"q"}`))).int("length")
				station := c.req("stations.get", body{"station": "kept"})
				whole := there == 2*plans && items == 2*plans && station.text("description") == "d" &&
					string(row(t, bucket(t, c, "leaders"), "installation", true)) == signing
				if whole {
					return
				}
				if logged := s.log.grep("level=ERROR"); len(logged) == 0 || !s.reportsDamage(t) {
					t.Errorf("%d plans, %d items and station %v are left, and the log has %q, /readyz %s", there, items, station, logged, s.readyz(t))
				}
				work := c.worker("goes")
				c.create(once("goes"))
				match(t, "the answer", work.take().request(body{"state": "ok"}), body{"accepted": true})
			})
		}
	}
}

// serverCannotLoad reports whether nats-server has named the stream and block with the
// message that it cannot load, and then ended the process: 2.15.2 does so if the message
// has a time to live, because newFileStoreWithCreatedAndMode unlocks a store that it has
// just set to nil. It does so in a goroutine of its own, before any code of the program
// runs.
func serverCannotLoad(err error, stream string) bool {
	log := err.Error()
	return strings.Contains(log, "Filestore ["+stream+"] Error loading msg seq") && strings.Contains(log, "newFileStoreWithCreatedAndMode.func2()")
}

// flip changes a byte at a part of a file.
func flip(t *testing.T, file string, part int) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/part] ^= 0x10
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// reportsDamage waits until /readyz reports damage.
func (s *server) reportsDamage(t *testing.T) bool {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(patience); time.Now().Before(end); <-look.C {
		if strings.Contains(s.readyz(t), "damage") {
			return true
		}
	}
	return false
}

// readyz is the answer of /readyz.
func (s *server) readyz(t *testing.T) string {
	t.Helper()
	resp, err := http.Get("http://" + s.http + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
