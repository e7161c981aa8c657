package node_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A way forwards connections to the server of the node that runs at the moment, or nowhere.
type way struct{ to atomic.Pointer[string] }

var errNowhere = errors.New("no node runs")

// Dial makes a way a nats.CustomDialer.
func (w *way) Dial(network, _ string) (net.Conn, error) {
	to := w.to.Load()
	if to == nil {
		return nil, errNowhere
	}
	return net.Dial(network, *to)
}

// A journey is a node that is started again and again on one folder, and a worker that
// lives through all of it.
type journey struct {
	t      *testing.T
	config node.Config
	way    way
	log    *lines
	nc     *nats.Conn         // the worker's
	here   *nats.Subscription // the worker's announcements, on its own connection
	ran    chan string        // the plans that it executed
	end    func()             // stops the worker, and ends the connections

	node   *node.Node
	asking *client.Client
	done   func()
}

// lines are the lines of a log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// with returns the lines that contain part.
func (l *lines) with(part string) (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}

func newJourney(t *testing.T) *journey {
	t.Helper()
	j := &journey{t: t, config: config(t), log: new(lines), ran: make(chan string, 10)}
	j.config.Node, j.config.Sync = "n1", 0
	j.config.Log = slog.New(slog.NewTextHandler(io.MultiWriter(j.log, t.Output()), &slog.HandlerOptions{Level: slog.LevelWarn}))
	j.start()
	var err error
	j.nc, err = nats.Connect("nats://wherever:4222", nats.SetCustomDialer(&j.way), nats.Timeout(patience),
		nats.MaxReconnects(-1), nats.ReconnectWait(5*time.Millisecond), nats.ReconnectJitter(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if j.here, err = j.nc.SubscribeSync("worker.here.w1.s"); err != nil {
		t.Fatal(err)
	}
	w, err := worker.New(j.nc, worker.Options{ID: "w1", Logger: j.config.Log, RepeatFor: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	w.Handle("s", "*", func(_ context.Context, x *worker.Execution) (any, error) {
		j.ran <- x.PlanID
		return nil, nil
	})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	j.end = func() {
		_ = w.Stop() // after a failed test there may be no server
		j.nc.Close()
		j.done()
	}
	return j
}

// start starts the node, and lets the worker connect to it only when it is ready, so that
// the node receives the worker's next announcement.
func (j *journey) start() {
	j.t.Helper()
	j.node = start(j.t, j.config)
	j.asking, j.done = ask(j.t, j.node, "")
	to := strings.TrimPrefix(j.node.URL(), "nats://")
	j.way.to.Store(&to)
}

func (j *journey) stop() {
	j.t.Helper()
	j.way.to.Store(nil)
	j.done()
	stop(j.t, j.node)
}

// again stops the node and starts it on the same folder.
func (j *journey) again() {
	j.t.Helper()
	j.stop()
	j.start()
}

// run has the worker execute a plan, so that it sees the epoch.
func (j *journey) run(id string) {
	j.t.Helper()
	if _, err := j.asking.Plans().Create(j.t.Context(), schema.Plan{Station: "s", PlanID: id, Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeNone}}); err != nil {
		j.t.Fatal(err)
	}
	for {
		select {
		case ran := <-j.ran:
			if ran == id {
				return
			}
		case <-time.After(patience):
			j.t.Fatalf("%s is not executed", id)
		}
	}
}

var leadsInEpoch = regexp.MustCompile(`n1 leads, epoch (\d+)`)

// epoch is the leader's epoch.
func (j *journey) epoch() int64 {
	j.t.Helper()
	match := leadsInEpoch.FindStringSubmatch(readyzUntil(j.t, j.node.HTTPAddr(), "n1 leads, epoch "))
	epoch, err := strconv.ParseInt(match[1], 10, 64)
	if err != nil {
		j.t.Fatal(err)
	}
	return epoch
}

// awaitSeen waits until the worker, connected again, has announced that it has seen this epoch.
func (j *journey) awaitSeen(epoch int64) {
	j.t.Helper()
	for {
		m, err := j.here.NextMsg(patience)
		if err != nil {
			j.t.Fatalf("the worker does not report that it has seen %d: %v", epoch, err)
		}
		var here schema.Here
		if err := json.Unmarshal(m.Data, &here); err != nil {
			j.t.Fatal(err)
		}
		for _, seen := range here.Epochs {
			if seen.Epoch == epoch {
				return
			}
		}
	}
}

// sendsOnlyALie sends on the worker's connection, behind all of its announcements, one
// with an epoch that never was. The leader reports the first unknown epoch of a leadership,
// so none of the announcements before it was taken for one.
func (j *journey) sendsOnlyALie(lie int64) {
	j.t.Helper()
	body := fmt.Sprintf(`{"epochs":[{"partition":0,"epoch":%d}]}`, lie)
	if err := j.nc.Publish("worker.here.liar.s", []byte(body)); err != nil {
		j.t.Fatal(err)
	}
	match := readyzUntil(j.t, j.node.HTTPAddr(), "damage older.PLAN_JOURNAL: ")
	if want := fmt.Sprintf("worker liar of station s has seen epoch %d, ", lie); !strings.Contains(match, want) {
		j.t.Errorf("/readyz reports more than the lie: %s", match)
	}
}

// acknowledge acknowledges all damage, waits until it is reported no longer, and returns
// it.
func (j *journey) acknowledge() []schema.Damage {
	j.t.Helper()
	lost, err := j.asking.Damage().List(j.t.Context())
	if err != nil {
		j.t.Fatal(err)
	}
	for i := range lost {
		if err := j.asking.Damage().Acknowledge(j.t.Context(), lost[i]); err != nil {
			j.t.Fatal(err)
		}
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		_, body := status(j.t, "http://"+j.node.HTTPAddr()+"/readyz")
		if !strings.Contains(body, "damage") {
			return lost
		}
		if time.Now().After(end) {
			j.t.Fatalf("it was acknowledged, and is reported: %s", body)
		}
	}
}

// A whole folder is restored from an earlier time while the node is stopped. Only the
// workers know better, because the folder is consistent. The epochs that they have seen are
// reported at every place that shows the health of a node, until acknowledged, and not
// again. A node that is only restarted is never taken for a restored one.
func TestAnOlderFolderIsReportedByWorkers(t *testing.T) {
	j := newJourney(t)
	defer j.end()
	j.run("p1")
	first := j.epoch()
	j.stop()
	older := filepath.Join(t.TempDir(), "older")
	if err := os.CopyFS(older, os.DirFS(j.config.DataDir)); err != nil {
		t.Fatal(err)
	}

	j.start()
	j.awaitSeen(first)
	j.run("p2")
	later := schema.Plan{Station: "s", PlanID: "lost", Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeTime, PlanTime: time.Now().Add(time.Hour)}}
	if _, err := j.asking.Plans().Create(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	lost := j.epoch()
	j.sendsOnlyALie(lost + 1)
	j.acknowledge()
	j.stop()
	if err := os.RemoveAll(j.config.DataDir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(j.config.DataDir, os.DirFS(older)); err != nil {
		t.Fatal(err)
	}

	j.start()
	if _, err := j.asking.Plan("s", "lost").Get(t.Context()); err == nil {
		t.Fatal("nothing is lost")
	}
	match := readyzUntil(t, j.node.HTTPAddr(), "damage older.PLAN_JOURNAL: ")
	want := fmt.Sprintf("worker w1 of station s has seen epoch %d, and the highest that the store knew was %d: ", lost, first)
	if !strings.Contains(match, want) || !strings.Contains(match, `"stationmaster damage acknowledge older.PLAN_JOURNAL"`) {
		t.Errorf("/readyz answers %s", match)
	}
	if wrong := metricsOf(t, j.node).differ([]figure{{"damage", 1, []string{"kind", "older"}}, {"ready", 1, nil}}); wrong != nil {
		t.Error(wrong)
	}
	if found := j.log.with(fmt.Sprintf("worker_id=w1 station=s seen=%d known=%d", lost, first)); len(found) != 1 || !strings.Contains(found[0], "level=ERROR") {
		t.Errorf("the log has %q", found)
	}
	j.again()
	readyzUntil(t, j.node.HTTPAddr(), "damage older.PLAN_JOURNAL: worker w1 of station s ")
	if was := j.acknowledge(); len(was) != 1 || was[0].Had != uint64(lost) || was[0].Has != uint64(first) || was[0].Count != 1 {
		t.Errorf("acknowledged %+v", was)
	}

	j.again()
	j.awaitSeen(lost)
	j.sendsOnlyALie(j.epoch() + 1)
}
