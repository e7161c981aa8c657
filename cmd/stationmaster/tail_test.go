package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Each result is one line, however its plan was written, and one message that cannot be
// read does not end the others.
func TestTailShowsALineEach(t *testing.T) {
	message, err := wire.Scan([]byte("{\n\"a\":1\n}"), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = show(&printer{w: &out, json: true}, func(yield func(*schema.Result, error) bool) {
		if yield(nil, fmt.Errorf("read x: %w", client.ErrUnreadable)) {
			yield(&schema.Result{Messages: []wire.Value{message}}, nil)
		}
	}, nil)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if err != nil || len(lines) != 2 || !strings.Contains(lines[1], `{ "a":1 }`) {
		t.Errorf("%v\n%s", err, &out)
	}
	broken := errors.New("closed")
	if err := show(&printer{w: &out}, func(yield func(*schema.Result, error) bool) { yield(nil, broken) }, nil); !errors.Is(err, broken) {
		t.Error(err)
	}
}
