package schema

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/wiretest"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// workerSamples is one value of every type of workers' claims, of the built-in HTTP
// worker, and of nodes' announcements.
func workerSamples(enc wire.Encoding) map[string]any {
	return map[string]any{
		"claim": Claim{
			WorkerID: "w1", Limit: 5, WaitMS: 1000, TenantID: "17", Category: "c", Caller: "billing",
			Creator: "me", Labels: map[string]string{"a": "1"},
		},
		"claim_page_later": ClaimPage{Executions: []wire.Value{}, RetryAfterMS: 1000},
		"claim_page":       ClaimPage{Executions: []wire.Value{wire.Text(enc, "an execution")}},
		"remove":           Remove{Station: "hello.eu", PlanID: "P1", Revision: 12, Incarnation: 7},
		"damage":           Damage{Kind: DamageShort, Stream: "PLAN_JOURNAL", Had: 9, Has: 4, Text: "t", Node: "n1", First: due, Last: later, Count: 2},
		"node":             Node{Node: "n1", Process: "0123456789abcdef", Version: "v1", Leads: []int{0, 3}, Seen: due, Gone: true, Results: []string{"own", "public"}},
		"node_leads": Node{Node: "n1", Process: "0123456789abcdef", Leads: []int{3}, Since: due, Seen: later, Partitions: []LedPartition{
			{Partition: 3, Epoch: 1767225600000, JournalSequence: 900, Checkpoint: 870, Plans: 12, Overdue: 1.5},
		}},
		"here":        Here{Version: "v1", Load: 2, Gone: true},
		"here_build":  Here{Version: "v1", WorkerBuild: WorkerBuild{Host: "h", Library: "stationmaster-go v1.0.0", Since: later}},
		"here_epochs": Here{Version: "v1", Epochs: []SeenEpochs{{Partition: 0, Epoch: 1767225600000, Before: 1767225500000}, {Partition: 3, Epoch: 1767225600001}}},
		"http_call": HTTPCall{
			Name: "nightly", ExecType: ExecAsync, HTTPMethod: "PUT", TargetURL: "https://a.org/{{name}}",
			Headers: map[string]string{"X-A": "1"}, BodyTemplate: "{{plan_time}}", TimeoutSeconds: ptr[Seconds](1.5),
			SuccessStatus: []wire.Value{wire.Text(enc, "2xx")}, CallbackMethod: "POST", CallbackTimeoutSec: ptr[Seconds](300),
		},
		"http_outcome": HTTPOutcome{
			Class: HTTPStatus, Message: "no", Status: 503, Headers: map[string]string{"retry-after": "1"}, Body: "busy",
			BodyBase64: []byte{0xff, 0}, Truncated: true, DurationMS: 12.5,
		},
	}
}

// Replies in one message, and the acknowledgement of some of them, are written and read
// by hand alone, so their bytes are frozen beside those of the types that the codec knows.
func TestFrozenJoinedBytes(t *testing.T) {
	first := "plan.reply.0.hello.eu.*P1.4-" + nonce
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		reply := samples(enc)["reply"].(Reply)
		alone := wire.NewWriter(enc, nil)
		reply.AppendTo(alone)
		replies := wire.NewWriter(enc, nil)
		WriteJoined(replies, maps.All(map[string][]byte{first: alone.Bytes()}))
		all, _ := Space{}.ParseJoined(first, wiretest.Frozen(t, "joined_reply", enc, replies.Bytes()))
		want := map[int]JoinedReply{0: {About: ReplyName{Station: "hello.eu", PlanID: "P1", N: 4, Nonce: nonce}, Reply: reply}}
		if diff := cmp.Diff(want, maps.Collect(all), wiretest.SameValues); diff != "" {
			t.Errorf("replies in %s are read otherwise:\n%s", enc, diff)
		}

		sent := JoinedAck{Ack: samples(enc)["ack"].(Ack), Of: []int{0, 255}}
		ack := wire.NewWriter(enc, nil)
		sent.AppendTo(ack)
		v, err := wire.Scan(wiretest.Frozen(t, "joined_ack", enc, ack.Bytes()), wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var read JoinedAck
		if read.ReadFrom(v); read.Ack != sent.Ack || !slices.Equal(read.Of, sent.Of) {
			t.Errorf("an acknowledgement in %s is read as %+v", enc, read)
		}
	}
}
