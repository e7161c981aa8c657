package deploy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// Every role does its work, with the rights of the file and no others, and no step of it is
// refused. With a prefix the file is changed by the commands of the README.
func TestEachRoleCanDoItsWork(t *testing.T) {
	for name, prefix := range map[string]string{"without a prefix": "", "with a prefix": "acme"} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, prefix)
			n := s.schedule()
			s.work(t)
			t.Run("REST", func(t *testing.T) { s.rest(t, "http://"+n.HTTPAddr()) })
			t.Run("a successor", func(t *testing.T) { s.succeed(t, n) })
		})
	}
}

// succeed starts a node that leads after n: it reads the stored plans, and the replies of
// workers from the time without a leader.
func (s *site) succeed(t *testing.T, n *node.Node) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	nc := s.connect(mail)
	work, err := nc.QueueSubscribeSync(s.prefix+"station.mail", "mail")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.settled(); err != nil {
		t.Fatal(err)
	}
	results, err := s.client(observer).Results().Follow("mail")
	if err != nil {
		t.Fatal(err)
	}
	defer results.Stop()
	if _, err := s.client(publisher).Plans().Create(ctx, schema.Plan{Station: "mail", PlanID: "handed", Command: "send", Schedule: schema.Schedule{PlanType: schema.TypeNone}}); err != nil {
		t.Fatal(err)
	}
	m, err := work.NextMsgWithContext(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if err := m.Respond([]byte(`{"state":"ok"}`)); err != nil {
		t.Fatal(err)
	}
	if err := nc.settled(); err != nil {
		t.Fatal(err)
	}
	s.schedule()
	if r := first(ctx, t, results); r.State != schema.StateOK || r.PlanID != "handed" {
		t.Errorf("the result is %s of %s, not ok of handed", r.State, r.PlanID)
	}
}

// work has each role do its work.
func (s *site) work(t *testing.T) {
	t.Run("a worker with the SDK", s.sdkWorker)
	t.Run("a worker without a library", s.plainWorker)
	t.Run("a worker that claims", s.pullWorker)
	t.Run("operator", s.operate)
	t.Run("discovery", s.discover)
	t.Run("backup", s.backup)
}

// sdkWorker has publisher, observer and worker play their parts, presence and cancellation
// included.
func (s *site) sdkWorker(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	publishing, observing := s.client(publisher), s.client(observer)
	results, err := observing.Results().Follow("")
	if err != nil {
		t.Fatal(err)
	}
	defer results.Stop()
	events, err := observing.Events().Follow("", schema.NoticeNotWorker)
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()

	// The plan exists before its worker, so that the worker's presence record has it
	// delivered.
	if _, err := publishing.Plans().Create(ctx, schema.Plan{Station: "hello", PlanID: "greet", Command: "greet", Schedule: schema.Schedule{PlanType: schema.TypeNone}}); err != nil {
		t.Fatal(err)
	}
	first(ctx, t, events)
	nc := s.connect(hello)
	w, err := worker.New(nc.Conn, worker.Options{ID: hello, Prefix: strings.TrimSuffix(s.prefix, ".")})
	if err != nil {
		t.Fatal(err)
	}
	cancelled := make(chan error, 1)
	w.Handle("hello", "greet", func(context.Context, *worker.Execution) (any, error) { return "hi", nil })
	w.Handle("hello", "wait", func(ctx context.Context, _ *worker.Execution) (any, error) {
		<-ctx.Done()
		cancelled <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	if r := first(ctx, t, results); r.State != schema.StateOK || r.PlanID != "greet" {
		t.Errorf("the result is %s of %s, not ok of greet", r.State, r.PlanID)
	}

	if there, err := observing.Workers().List(ctx, schema.ListWorkers{Station: "hello"}); err != nil || len(there.Workers) != 1 || there.Workers[0].WorkerID != hello {
		t.Errorf("the workers of the station are %v, %v", there, err)
	}

	running, err := observing.Events().Follow("hello", schema.NoticeRunning)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Stop()
	name := schema.PlanName{Station: "hello", PlanID: "long"}
	if _, err := publishing.Plans().Create(ctx, schema.Plan{Station: name.Station, PlanID: name.PlanID, Command: "wait", Schedule: schema.Schedule{PlanType: schema.TypeNone}}); err != nil {
		t.Fatal(err)
	}
	first(ctx, t, running)
	if _, err := publishing.PlanNamed(name).Remove(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-cancelled:
		if !errors.Is(err, worker.ErrCancelled) {
			t.Errorf("the handler ends with %v", err)
		}
	case <-ctx.Done():
		t.Error("the worker got no cancel")
	}
	if r := first(ctx, t, results); r.State != schema.StateCancelled {
		t.Errorf("the removed run is %s, not cancelled", r.State)
	}
	if err := w.Stop(); err != nil {
		t.Error(err)
	}
	page, err := observing.Runs().List(ctx, schema.ListRuns{Station: "hello", PlanID: "greet"})
	if err != nil || len(page.Runs) != 1 {
		t.Errorf("the observer reads runs %v, %v", page, err)
	}
	if err := nc.settled(); err != nil {
		t.Errorf("the worker was refused: %v", err)
	}
}

// pullWorker claims executions of its station, when that is one of kind pull, and answers
// them.
func (s *site) pullWorker(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := s.client(operator).Stations().Put(ctx, schema.Station{Station: "hello", Kind: schema.KindPull}); err != nil {
		t.Fatal(err)
	}
	results, err := s.client(observer).Results().Follow("hello")
	if err != nil {
		t.Fatal(err)
	}
	defer results.Stop()
	if _, err := s.client(publisher).Plans().Create(ctx, schema.Plan{Station: "hello", PlanID: "pulled", Command: "greet", Schedule: schema.Schedule{PlanType: schema.TypeNone}}); err != nil {
		t.Fatal(err)
	}
	nc := s.connect(hello)
	m, err := nc.RequestWithContext(ctx, s.prefix+"plans.claim.hello", []byte(`{"worker_id":"hello-1","wait_ms":30000}`))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Executions []struct{ Reply string }
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil || len(answer.Executions) != 1 {
		t.Fatalf("the claim is answered %s: %v", m.Data, err)
	}
	if _, err := nc.RequestWithContext(ctx, answer.Executions[0].Reply, []byte(`{"state":"ok","worker_id":"hello-1"}`)); err != nil {
		t.Fatal(err)
	}
	if r := first(ctx, t, results); r.State != schema.StateOK || r.PlanID != "pulled" {
		t.Errorf("the result is %s of %s", r.State, r.PlanID)
	}
	if err := nc.settled(); err != nil {
		t.Errorf("the worker was refused: %v", err)
	}
}

// plainWorker answers executions by NATS alone.
func (s *site) plainWorker(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	nc := s.connect(mail)
	defer nc.Close()
	subject := s.prefix + "station.mail"
	if _, err := nc.QueueSubscribe(subject, "mail", func(m *nats.Msg) { _ = m.Respond([]byte(`{"state":"ok","content":"sent"}`)) }); err != nil {
		t.Fatal(err)
	}
	if err := nc.settled(); err != nil {
		t.Fatal(err)
	}
	results, err := s.client(observer).Results().Follow("mail")
	if err != nil {
		t.Fatal(err)
	}
	defer results.Stop()
	if _, err := s.client(publisher).Plans().Create(ctx, schema.Plan{Station: "mail", PlanID: "post", Command: "send", Schedule: schema.Schedule{PlanType: schema.TypeNone}}); err != nil {
		t.Fatal(err)
	}
	if r := first(ctx, t, results); r.State != schema.StateOK || r.Content.String() != `"sent"` {
		t.Errorf("the result is %s %s", r.State, r.Content)
	}
	if err := nc.settled(); err != nil {
		t.Errorf("the worker was refused: %v", err)
	}
}

// operate manages stations and plans, and looks for the leaders.
func (s *site) operate(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// As the program's own commands connect.
	nc, err := s.external(operator).Connect("operate", patience, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	c, err := client.New(nc, client.Options{Prefix: strings.TrimSuffix(s.prefix, "."), Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Stations().Put(ctx, schema.Station{Station: "quiet", Kind: schema.KindAPI}); err != nil {
		t.Error(err)
	}
	if _, err := c.Plans().Create(ctx, schema.Plan{Station: "quiet", PlanID: "p", Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeTime, PlanTime: time.Now().Add(time.Hour)}}); err != nil {
		t.Error(err)
	}
	if _, err := c.Plan("quiet", "p").End(ctx); err != nil {
		t.Error(err)
	}
	if _, err := c.Stations().Delete(ctx, "quiet"); err != nil {
		t.Error(err)
	}
	if nodes, err := c.Nodes().List(ctx); err != nil || len(nodes) != 1 {
		t.Errorf("nodes: %v, %v", nodes, err)
	}
	s.acknowledge(ctx, t, c)
}

// acknowledge acknowledges a loss.
func (s *site) acknowledge(ctx context.Context, t *testing.T, c *client.Client) {
	lost := schema.Damage{Kind: schema.DamageShort, Stream: "PLAN_JOURNAL", Count: 1}
	row, err := json.Marshal(lost)
	if err != nil {
		t.Fatal(err)
	}
	bucket := strings.ReplaceAll(s.prefix, ".", "_") + "leaders"
	if err := s.asScheduler().Publish("$KV."+bucket+"."+schema.DamageKeys+lost.Name(), row); err != nil {
		t.Fatal(err)
	}
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		all, err := c.Damage().List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == 1 {
			break
		}
	}
	if err := c.Damage().Acknowledge(ctx, lost); err != nil {
		t.Error(err)
	}
	if all, err := c.Damage().List(ctx); err != nil || len(all) != 0 {
		t.Errorf("left: %v, %v", all, err)
	}
}

// rest sends the requests that a role may send to REST, and follows its live stream.
func (s *site) rest(t *testing.T, url string) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ask := func(method, path, body string) *http.Response {
		t.Helper()
		q, err := http.NewRequestWithContext(ctx, method, url+"/api/v1/"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Last-Event-ID", "1")
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	defer http.DefaultClient.CloseIdleConnections()
	for _, one := range [][3]string{
		{http.MethodPost, "tasks", `{"name":"n","cron_expr":"0 0 1 1 *","target_url":"http://example.org/"}`},
		{http.MethodGet, "tasks", ""}, {http.MethodGet, "plans", ""}, {http.MethodGet, "stations", ""}, {http.MethodGet, "workers", ""},
		{http.MethodGet, "queues", ""}, {http.MethodGet, "task-types", ""}, {http.MethodGet, "periodic-tasks", ""}, {http.MethodGet, "secrets", ""},
	} {
		r := ask(one[0], one[1], one[2])
		if _ = r.Body.Close(); r.StatusCode/100 != 2 {
			t.Errorf("%s %s: %s", one[0], one[1], r.Status)
		}
	}
	live := ask(http.MethodGet, "events", "")
	defer live.Body.Close()
	for lines := bufio.NewScanner(live.Body); lines.Scan(); {
		if lines.Text() == "event: result" {
			return
		}
	}
	t.Errorf("%s: no result is shown", live.Status)
}

// discover sends the requests of `nats micro ls`.
func (s *site) discover(t *testing.T) {
	answer, err := s.connect(operator).Request("$SRV.INFO.plans", nil, patience)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(answer.Data), `"name":"plans"`) {
		t.Errorf("discovery answers %s", answer.Data)
	}
}

// backup takes JetStream's own backup of a stream, up to its first chunk.
func (s *site) backup(t *testing.T) {
	nc := s.connect(operator)
	inbox := nc.NewInbox()
	chunks, err := nc.SubscribeSync(inbox)
	if err != nil {
		t.Fatal(err)
	}
	request, err := json.Marshal(map[string]any{"deliver_subject": inbox, "chunk_size": 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	bucket := "KV_" + strings.ReplaceAll(s.prefix, ".", "_") + "plans"
	answer, err := nc.Request("$JS.API.STREAM.SNAPSHOT."+bucket, request, patience)
	if err != nil || strings.Contains(string(answer.Data), `"error"`) {
		t.Fatalf("the backup of %s is refused: %v %s", bucket, err, answer.Data)
	}
	if m, err := chunks.NextMsg(patience); err != nil || len(m.Data) == 0 {
		t.Errorf("the first chunk is %v, %v", m, err)
	}
	if err := nc.settled(); err != nil {
		t.Errorf("the operator was refused: %v", err)
	}
}

// first returns the next item of a feed.
func first[T any](ctx context.Context, t *testing.T, feed *client.Feed[T]) *T {
	t.Helper()
	for item, err := range feed.All(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		return item
	}
	t.Fatal("nothing came in time")
	return nil
}
