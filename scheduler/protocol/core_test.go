package protocol_test

import (
	"reflect"
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

var (
	me    = protocol.Writer{Holder: "me", Epoch: 7}
	other = protocol.Writer{Holder: "other", Epoch: 8}
)

// A leadership that loses trust goes on only when no other node has written.
func TestResume(t *testing.T) {
	mine := protocol.Found{By: me, Last: 12}
	for name, c := range map[string]struct {
		in   []protocol.In
		want []protocol.Out
	}{
		"as it was left": {
			[]protocol.In{protocol.Doubted{}, protocol.Doubted{}, protocol.Trusted{}, mine},
			[]protocol.Out{protocol.Pause{}, protocol.Await{}, protocol.Look{}, protocol.Resume{}},
		},
		"with an append of its own behind the last": {
			[]protocol.In{protocol.Doubted{}, protocol.Trusted{}, protocol.Found{By: me, Last: 13}},
			[]protocol.Out{protocol.Pause{}, protocol.Await{}, protocol.Look{}, protocol.Resume{}},
		},
		"when it can be read": {
			[]protocol.In{protocol.Doubted{}, protocol.Trusted{}, protocol.Unread{}, protocol.Unread{}, mine},
			[]protocol.Out{protocol.Pause{}, protocol.Await{}, protocol.Look{}, protocol.Look{}, protocol.Look{}, protocol.Resume{}},
		},
		"and trust goes again while it looks": {
			[]protocol.In{protocol.Doubted{}, protocol.Trusted{}, protocol.Doubted{}, mine, protocol.Trusted{}, mine},
			[]protocol.Out{protocol.Pause{}, protocol.Await{}, protocol.Look{}, protocol.Await{}, protocol.Look{}, protocol.Resume{}},
		},
		"another wrote": {
			[]protocol.In{protocol.Doubted{}, protocol.Trusted{}, protocol.Found{By: other, Last: 13}},
			[]protocol.Out{protocol.Pause{}, protocol.Await{}, protocol.Look{}, protocol.StandDown{Why: protocol.ErrWritten}},
		},
		"the end is gone": {
			[]protocol.In{protocol.Doubted{}, protocol.Trusted{}, protocol.Found{By: me, Last: 11}},
			[]protocol.Out{protocol.Pause{}, protocol.Await{}, protocol.Look{}, protocol.StandDown{Why: protocol.ErrShort}},
		},
		"another has the lease": {
			[]protocol.In{protocol.Doubted{}, protocol.Taken{}, protocol.Taken{}, protocol.Trusted{}, mine},
			[]protocol.Out{protocol.Pause{}, protocol.Await{}, protocol.StandDown{Why: protocol.ErrTaken}},
		},
		"nothing was wrong": {[]protocol.In{protocol.Trusted{}, mine, protocol.Unread{}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			core := protocol.NewCore(me, 3)
			core.Appended(12)
			var got []protocol.Out
			for _, in := range c.in {
				got = append(got, core.Step(in)...)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
