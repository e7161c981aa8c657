package scheduler_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// More requests than may wait for a journal find it stalled. The sender of the next one, a claim
// too, is not held up for as long as the leadership lasts, because requests for other partitions
// may wait behind it; and each gets, after three seconds, the answer that a single request gets.
func TestRequestsDoNotWaitForRoomBehindAStalledJournal(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		silent(t, ns, journalSubject)
		began := time.Now()
		const creates = 9000 // more than the batches hold, and than wait for room in one
		answers := make([]<-chan answer, 0, creates+1)
		brought := make(chan struct{})
		go func() {
			defer close(brought)
			for i := range creates {
				answers = append(answers, b.send(command.CreatePlan{Definition: definition(t, fmt.Sprintf(
					`{"plan_id":"p%d","station":"s","command":"c","description":"%s","plan_type":"none"}`, i, strings.Repeat("x", 1000)))}))
			}
			answers = append(answers, b.send(command.ClaimWork{WorkerID: "w", Stations: []string{"s"}, Limit: 1}))
		}()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		select {
		case <-brought:
		default:
			t.Fatalf("after %v a request is still being brought", time.Since(began))
		}
		for i, answered := range answers[:creates] {
			if wrong := unavailable(answered); wrong != "" {
				t.Fatalf("request %d: %s", i, wrong)
			}
		}
		a := <-answers[creates]
		if refused := (*schema.Error)(nil); !errors.As(a.err, &refused) || refused.Code != schema.CodeUnavailable {
			t.Errorf("the claim is answered %+v", a)
		}
	})
}
