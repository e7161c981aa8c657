package client

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// FuzzAnswers gives the client any answer, with any code of an error in its header, and
// a feed any message. With a code it is an error that can be shown and whose code can be
// asked for; without one it is an answer that can be written and read again, or an error.
func FuzzAnswers(f *testing.F) {
	for i, name := range []string{
		"created", "plan_page", "export_page", "items_copy", "imported", "run_view", "worker_page", "result", "notice",
	} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			body, err := os.ReadFile(filepath.Join("..", "schema", "testdata", "wire", "v1", name+"."+enc.String()))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(i), "", body)
		}
	}
	for _, body := range []string{
		``, `boom`, `{"error":{"code":"conflict","message":"m","field":"f"}}`, `{"error":null,"errors":[{"code":"a"},{"code":"b"}]}`,
		`{"errors":[null,null]}`, `{"error":{"code":7}}`, `[]`,
	} {
		f.Add(uint8(0), "404", []byte(body))
		f.Add(uint8(0), "x", []byte(body))
	}
	answers := []reflect.Type{
		reflect.TypeFor[schema.Created](), reflect.TypeFor[schema.PlanPage](), reflect.TypeFor[schema.ExportPage](),
		reflect.TypeFor[schema.ItemsCopy](), reflect.TypeFor[schema.Imported](), reflect.TypeFor[schema.RunView](), reflect.TypeFor[schema.WorkerPage](),
	}
	f.Fuzz(func(t *testing.T, kind uint8, code string, data []byte) {
		answer := reflect.New(answers[int(kind)%len(answers)])
		err := decodeAnswer(&nats.Msg{Data: data, Header: nats.Header{schema.HeaderServiceErrorCode: {code}}}, answer.Interface())
		switch {
		case code != "":
			var e *schema.Error
			if !errors.As(err, &e) || e == nil || e.Code == "" && len(data) == 0 || err.Error() == "" {
				t.Fatalf("%q with code %q is %v", data, code, err)
			}
		case err == nil:
			comesBack(t, data, answer)
		}
		checkItem[schema.Result](t, data)
		checkItem[schema.Notice](t, data)
	})
}

// checkItem checks a feed's value of a message.
func checkItem[T any](t *testing.T, data []byte) {
	t.Helper()
	item, err := decodeItem[T]("plan.result.s.p", data)
	if (item == nil) == (err == nil) || err != nil && !errors.Is(err, ErrUnreadable) {
		t.Fatalf("%q is received as %v, %v", data, item, err)
	}
	if item != nil {
		comesBack(t, data, reflect.ValueOf(item))
	}
}

// comesBack checks that a value that was read can be written, and is the same when it is
// read again.
func comesBack(t *testing.T, data []byte, read reflect.Value) {
	t.Helper()
	enc := wire.Detect(data)
	body, err := wire.Marshal(enc, read.Interface())
	if err != nil {
		t.Fatalf("%q is read, and cannot be written: %v", data, err)
	}
	again := reflect.New(read.Type().Elem())
	if err := decodeAnswer(&nats.Msg{Data: body}, again.Interface()); err != nil {
		t.Fatalf("%q is written as %q: %v", data, body, err)
	}
	nothing := func(v wire.Value) bool { return v.Kind() == wire.KindAbsent || v.Kind() == wire.KindNull }
	same := cmp.Comparer(func(a, b wire.Value) bool { // a field that is always written is null when it was absent
		return string(a.Raw()) == string(b.Raw()) || nothing(a) && nothing(b)
	})
	if diff := cmp.Diff(read.Interface(), again.Interface(), same, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%q is written as %q, which is another:\n%s", data, body, diff)
	}
}
