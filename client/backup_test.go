package client_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestExportReadsAllPages(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.export", func(try int, request wire.Value) any {
		page := schema.ExportPage{Plans: []schema.PlanCopy{{Raw: []byte{0x80, byte(try)}, Encoding: "msgpack"}}}
		if cursor, _ := request.Field("cursor").Text(); cursor != strings.Repeat("x", try) {
			t.Errorf("page %d is asked for with cursor %q", try, cursor)
		}
		if try < 2 {
			page.Next = strings.Repeat("x", try+1)
		}
		return page
	})
	var got []byte
	for p, err := range newClient(t, ns, client.Options{}).Plans().Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.Raw[1])
	}
	if diff := cmp.Diff([]byte{0, 1, 2}, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

func TestRestoreInParts(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.restore", func(try int, request wire.Value) any {
		return schema.Imported{
			Created: int64(request.Field("plans").Len()) - 1,
			Errors:  []schema.ImportError{{Index: 0, Error: &schema.Error{Code: schema.CodeInvalidPlan, Message: "bad"}}},
		}
	})
	plans := make([]schema.PlanCopy, 1010)
	for i := range plans {
		v, err := wire.ValueOf(wire.JSON, map[string]any{"plan_id": "p"})
		if i >= 1005 { // so large that no two fit into one request
			v, err = wire.ValueOf(wire.MsgPack, map[string]any{"messages": strings.Repeat("x", 400<<10)})
		}
		if err != nil {
			t.Fatal(err)
		}
		plans[i] = schema.PlanCopy{Plan: v, Record: wire.Trust(wire.JSON, []byte(`{"n":1}`))}
	}
	got, err := newClient(t, ns, client.Options{}).Plans().Restore(t.Context(), plans, schema.ConflictKeep)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, r := range s.requests() {
		sizes = append(sizes, len(r["plans"].([]any)))
	}
	if diff := cmp.Diff([]int{1000, 5, 1, 1, 1, 1, 1}, sizes); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if len(got.Errors) != 7 || got.Created != 1010-7 || got.Errors[1].Index != 1000 || got.Errors[2].Index != 1005 {
		t.Errorf("restored %+v", got)
	}
}

// A restore of an inbox whose outcome is unknown is not repeated, because under keep the
// inbox would be left with the items it has, and the next ones would come twice.
func TestARestoreOfItemsIsNotRepeated(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.restore", func(try int, request wire.Value) any {
		if try == 0 {
			return &schema.Error{Code: schema.CodeUnavailable, Message: "half of it was done"}
		}
		return schema.Imported{Kept: 1}
	})
	v, err := wire.ValueOf(wire.JSON, map[string]any{"plan_id": "p"})
	if err != nil {
		t.Fatal(err)
	}
	items := schema.CopyItems([]wire.Value{wire.Text(wire.JSON, "a")}, wire.Value{}, wire.JSON)
	plan := schema.PlanCopy{Plan: v, Inbox: &schema.InboxState{}, Items: &items}
	c := newClient(t, ns, client.Options{Repeats: 3})
	if got, err := c.Plans().Restore(t.Context(), []schema.PlanCopy{plan}, schema.ConflictKeep); !errors.Is(err, client.ErrUnavailable) {
		t.Errorf("%+v, %v", got, err)
	}
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// The first item behind a page that was completed as a whole is the first to be restored.
func TestItemsGoOnBehindThoseThatThereWere(t *testing.T) {
	ns := brokertest.Server(t)
	s := newServices(t, ns)
	s.on("plans.items", func(try int, request wire.Value) any {
		var items []wire.Value
		if try > 0 {
			items = append(items, wire.Text(wire.JSON, "a"))
		}
		page := schema.CopyItems(items, wire.Value{}, wire.JSON)
		page.Next = int64(2-try) * 200
		return page
	})
	var goes []bool
	for page, err := range newClient(t, ns, client.Options{}).Plan("s", "p").Items(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		goes = append(goes, page.Goes)
	}
	if diff := cmp.Diff([]bool{false, false, true}, goes); diff != "" {
		t.Errorf("pages that go on (-want +got):\n%s", diff)
	}
}
