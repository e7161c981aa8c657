package main

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestRepliesOfAWorkerInWords(t *testing.T) {
	for reply, want := range map[string]string{
		`"boom"`: `"boom"`, `{"a":1}`: `{"a":1}`, `7`: `7`,
		`{"class":"refused","message":"it is private","duration_ms":1}`: `refused: it is private`,
		`"{\"class\":\"status\",\"message\":\"503\"}"`:                  `status: 503`,
		`"{\"class\":"`:       `"{\"class\":"`,
		`{"class":"refused"}`: `{"class":"refused"}`, `{"message":"m"}`: `{"message":"m"}`,
	} {
		v, err := wire.ScanAs(wire.JSON, []byte(reply), wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := inWords(v); got != want {
			t.Errorf("%s: %s; want %s", reply, got, want)
		}
	}
}
