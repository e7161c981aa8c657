package protocol_test

import (
	"reflect"
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// An append that is refused, or not answered, is searched for behind the last known one, and sent
// again only if there is none.
func TestWrite(t *testing.T) {
	mine := protocol.Behind{Seq: 13, By: me, Number: 4}
	for name, c := range map[string]struct {
		in   []protocol.WriteIn
		want []protocol.WriteOut
	}{
		"acknowledged": {[]protocol.WriteIn{protocol.Acknowledged{Seq: 13}}, []protocol.WriteOut{protocol.Landed{Seq: 13}}},
		"found": {
			[]protocol.WriteIn{protocol.Unanswered{}, mine},
			[]protocol.WriteOut{protocol.Seek{Base: 12}, protocol.Landed{Seq: 13}},
		},
		"unseen, and refused since it is there": {
			[]protocol.WriteIn{protocol.Unanswered{}, protocol.Unseen{}, protocol.Unanswered{}, mine},
			[]protocol.WriteOut{protocol.Seek{Base: 12}, protocol.Send{Base: 12}, protocol.Seek{Base: 12}, protocol.Landed{Seq: 13}},
		},
		"absent": {
			[]protocol.WriteIn{protocol.Unanswered{}, protocol.Absent{}, protocol.Acknowledged{Seq: 13}},
			[]protocol.WriteOut{protocol.Seek{Base: 12}, protocol.Send{Base: 12}, protocol.Landed{Seq: 13}},
		},
		"behind what is no append": {
			[]protocol.WriteIn{protocol.Unanswered{}, protocol.Behind{Seq: 13, Foreign: true}, protocol.Absent{}, protocol.Acknowledged{Seq: 14}},
			[]protocol.WriteOut{protocol.Seek{Base: 12}, protocol.Seek{Base: 13}, protocol.Send{Base: 13}, protocol.Landed{Seq: 14}},
		},
		"fenced": {
			[]protocol.WriteIn{protocol.Unanswered{}, protocol.Behind{Seq: 13, By: other}, protocol.Absent{}},
			[]protocol.WriteOut{protocol.Seek{Base: 12}, protocol.StandDown{Why: protocol.ErrWritten}, nil},
		},
		"another append of its own": {
			[]protocol.WriteIn{protocol.Unanswered{}, protocol.Behind{Seq: 13, By: me, Number: 3}},
			[]protocol.WriteOut{protocol.Seek{Base: 12}, protocol.StandDown{Why: protocol.ErrWritten}},
		},
		"purged": {
			[]protocol.WriteIn{protocol.Unanswered{}, protocol.Purged{}},
			[]protocol.WriteOut{protocol.Seek{Base: 12}, protocol.StandDown{Why: protocol.ErrPurged}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := protocol.NewWrite(me, 4, 12)
			if first := w.Begin(); first != (protocol.Send{Base: 12}) {
				t.Errorf("it begins with %+v", first)
			}
			var got []protocol.WriteOut
			for _, in := range c.in {
				got = append(got, w.Step(in))
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
