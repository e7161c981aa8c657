package client_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

type resizeArgs struct {
	Picture string  `json:"picture"`
	Scale   float64 `json:"scale"`
}

var resize = schema.Job[resizeArgs]{Station: "images", Command: "resize"}

// A published job is the plan that a program without types would send.
func TestPublishSendsThePlanOfAJob(t *testing.T) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		ns := brokertest.Server(t)
		s := newServices(t, ns)
		s.on("plans.create", func(int, wire.Value) any { return schema.Created{PlanID: "cat", Station: "images", Created: true} })
		c := newClient(t, ns, client.Options{Encoding: enc})
		plan := schema.Plan{PlanID: "cat", Policy: schema.Policy{Retry: schema.NoRetry()}}
		created, err := client.Publish(t.Context(), c, resize, resizeArgs{"cat.png", 0.5}, plan)
		if err != nil || !created.Created {
			t.Fatal(created, err)
		}
		want := []map[string]any{{
			"plan_id": "cat", "station": "images", "command": "resize",
			"messages": []any{map[string]any{"picture": "cat.png", "scale": 0.5}},
			"retry":    map[string]any{"strategy": "none"},
		}}
		if diff := cmp.Diff(want, s.requests()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", enc, diff)
		}
	}
}

// A plan that contradicts its job, and a job that is incomplete, are refused before they
// are sent.
func TestPublishRefusesWhatDoesNotFitTheJob(t *testing.T) {
	c := newClient(t, brokertest.Server(t), client.Options{})
	fits := resizeArgs{Picture: "cat.png", Scale: 1}
	for name, tt := range map[string]struct {
		job  schema.Job[resizeArgs]
		args resizeArgs
		plan schema.Plan
	}{
		"another station": {resize, fits, schema.Plan{Station: "films"}},
		"another command": {resize, fits, schema.Plan{Command: "crop"}},
		"messages":        {resize, fits, schema.Plan{Messages: schema.Messages(1)}},
		"no command":      {schema.Job[resizeArgs]{Station: "images"}, fits, schema.Plan{}},
		"no encoding":     {resize, resizeArgs{Scale: math.NaN()}, schema.Plan{}},
	} {
		_, err := client.Publish(t.Context(), c, tt.job, tt.args, tt.plan)
		if err == nil || errors.Is(err, client.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sentinels are the errors of each code.
var sentinels = map[schema.Code]error{
	schema.CodeInvalidPlan: client.ErrInvalidPlan, schema.CodeInvalidRequest: client.ErrInvalid,
	schema.CodeNotFound: client.ErrNotFound, schema.CodeAlreadyExists: client.ErrAlreadyExists,
	schema.CodeConflict: client.ErrConflict, schema.CodeTooLarge: client.ErrTooLarge,
	schema.CodeUnavailable: client.ErrUnavailable, schema.CodeInternal: client.ErrInternal,
	schema.CodeQuotaExceeded: client.ErrQuotaExceeded,
}

// Each code has a sentinel, which errors.Is finds in a service's response, and finds no
// other.
func TestEachCodeHasASentinel(t *testing.T) {
	for _, code := range codes(t) {
		if sentinels[code] == nil {
			t.Errorf("code %s has no sentinel", code)
			continue
		}
		ns := brokertest.Server(t)
		s := newServices(t, ns)
		s.on("plans.get", func(int, wire.Value) any { return &schema.Error{Code: code, Field: "station", Message: "no"} })
		_, err := newClient(t, ns, client.Options{}).Plan("hello", "office").Get(t.Context())
		for of, sentinel := range sentinels {
			want := of == code || code == schema.CodeInvalidPlan && of == schema.CodeInvalidRequest
			if got := errors.Is(err, sentinel); got != want {
				t.Errorf("%v is %v: %t", err, sentinel, got)
			}
		}
	}
}

// codes are the constants of package schema.
func codes(t *testing.T) (found []schema.Code) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "schema", "errors.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, is := n.(*ast.ValueSpec); is && strings.HasPrefix(spec.Names[0].Name, "Code") {
			found = append(found, schema.Code(strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)))
		}
		return true
	})
	if len(found) < len(sentinels) {
		t.Fatalf("%d codes were found", len(found))
	}
	return found
}

// A closed client has ended its feeds and takes no further request; the connection stays.
func TestACloseEndsTheConnectionThatTheClientOwns(t *testing.T) {
	ns := brokertest.Server(t)
	nc := brokertest.Connect(t, ns)
	c, err := client.New(nc, client.Options{Timeout: brokertest.Patience})
	if err != nil {
		t.Fatal(err)
	}
	results, err := c.Results().Follow("hello")
	if err != nil {
		t.Fatal(err)
	}
	stopped, err := c.Events().Follow("")
	if err != nil {
		t.Fatal(err)
	}
	stopped.Stop()
	ended := make(chan error, 1)
	go func() {
		for _, err := range results.All(t.Context()) {
			ended <- err
			return
		}
		ended <- nil
	}()
	c.Close()
	c.Close()
	if err := <-ended; err != nil {
		t.Errorf("the feed ended with %v", err)
	}
	if n := nc.NumSubscriptions(); n != 0 {
		t.Errorf("%d subscriptions are left", n)
	}
	if _, err := c.Results().Follow("hello"); !errors.Is(err, client.ErrClosed) {
		t.Errorf("a feed of a closed client: %v", err)
	}
	if _, err := c.Plan("hello", "office").Pause(t.Context()); !errors.Is(err, client.ErrClosed) {
		t.Errorf("a request of a closed client: %v", err)
	}
	if nc.IsClosed() {
		t.Error("the connection is closed, which is the caller's")
	}
}
