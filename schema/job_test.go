package schema

import (
	"errors"
	"slices"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

type resizeArgs struct {
	Picture string `json:"picture"`
	Width   int    `json:"width"`
	Crop    struct {
		Top int `json:"top"`
	} `json:"crop"`
}

var resize = Job[resizeArgs]{Station: "images", Command: "resize"}

func TestArgumentsTravelInBothEncodings(t *testing.T) {
	sent := resizeArgs{Picture: "cat.png", Width: 120}
	sent.Crop.Top = 4
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		message, err := resize.Encode(enc, sent)
		if err != nil {
			t.Fatal(err)
		}
		got, err := resize.Decode([]wire.Value{message})
		if err != nil || got != sent {
			t.Errorf("%s: decoded %+v, %v", enc, got, err)
		}
	}
}

// A publisher that is newer than its worker sends members that the worker does not know.
func TestUnknownArgumentsAreIgnored(t *testing.T) {
	got, err := resize.Decode([]wire.Value{jobMessage(`{"picture":"cat.png","colour":"red"}`)})
	if err != nil || got.Picture != "cat.png" {
		t.Errorf("decoded %+v, %v", got, err)
	}
}

func TestErrorsOfArgumentsNameTheMember(t *testing.T) {
	tests := []struct {
		messages []string
		fields   []string
	}{
		{nil, []string{"messages"}},
		{[]string{`{}`, `{}`}, []string{"messages"}},
		{[]string{`"cat.png"`}, []string{"messages"}},
		{[]string{`{"width":"wide"}`}, []string{"messages.width"}},
		{[]string{`{"picture":1,"width":1.5}`}, []string{"messages.picture", "messages.width"}},
		{[]string{`{"crop":{"top":"4"}}`}, []string{"messages.crop.top"}},
	}
	for _, tt := range tests {
		var messages []wire.Value
		for _, m := range tt.messages {
			messages = append(messages, jobMessage(m))
		}
		_, err := resize.Decode(messages)
		if got := faults(err); !slices.Equal(got, tt.fields) {
			t.Errorf("%v: the error names %v, not %v: %v", tt.messages, got, tt.fields, err)
		}
		if !errors.Is(err, CodeInvalidPlan) {
			t.Errorf("%v: not invalid_plan: %v", tt.messages, err)
		}
	}
}

func TestATextThatIsNotUTF8IsNoArgument(t *testing.T) {
	type args struct {
		Name string   `json:"name"`
		Tags []string `json:"tags"`
	}
	job := Job[args]{Station: "s", Command: "c"}
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		_, err := job.Encode(enc, args{Name: "\uFFFD", Tags: []string{"a", "caf\xe9"}})
		if wrong, is := errors.AsType[*Error](err); !is || wrong.Field != "messages.tags[1]" {
			t.Errorf("%v: %v; want messages.tags[1] refused", enc, err)
		}
		if _, err := job.Encode(enc, args{Name: "\uFFFD"}); err != nil {
			t.Error(err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Messages took a text that is not UTF-8")
		}
	}()
	Messages("caf\xe9")
}

func TestAValueWithoutEncodingIsNoArgument(t *testing.T) {
	if _, err := (Job[chan int]{Station: "images", Command: "resize"}).Encode(wire.JSON, nil); err == nil {
		t.Error("a channel was encoded")
	}
}

func TestJobsHaveAStationAndACommand(t *testing.T) {
	for _, bad := range []Job[int]{{}, {Station: "images"}, {Command: "resize"}, {Station: "a..b", Command: "resize"}} {
		if bad.Check() == nil {
			t.Errorf("%q passed", bad)
		}
	}
	if err := resize.Check(); err != nil {
		t.Error(err)
	}
}

func jobMessage(json string) wire.Value { return wire.Trust(wire.JSON, []byte(json)) }

// faults are the fields that an error names.
func faults(err error) (fields []string) {
	all, _ := errors.AsType[Errors](err)
	for _, e := range all {
		fields = append(fields, e.Field)
	}
	if one, is := errors.AsType[*Error](err); is && all == nil {
		fields = append(fields, one.Field)
	}
	return fields
}
