package bench

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The names of the bare pattern. They have the product's forms and lengths, because
// these are part of the cost.
const (
	journalStream  = "BARE_JOURNAL"
	resultsStream  = "BARE_RESULTS"
	repliesStream  = "BARE_REPLIES"
	bucketStream   = "KV_bare"
	journalSubject = "scheduler.journal.0"
	stationSubject = "station.bare"
	workerQueue    = "bare"
	replyPrefix    = "plan.reply.0.bare.*"
	resultPrefix   = "plan.result.bare."
	bucketPrefix   = "$KV.bare."
	idBytes        = 26 // as long as a ULID
)

var (
	replyRunning = []byte(`{"state":"running","worker_id":"01JBAREWORKER0000000000000"}`)
	replyOK      = []byte(`{"state":"ok","worker_id":"01JBAREWORKER0000000000000"}`)
)

// A barePlan is the loop's state of a plan: all its subjects, and the bytes in place
// of its messages and records.
type barePlan struct {
	replySubject  string // up to the execution's token
	resultSubject string
	bucketSubject string
	body          []byte

	n        uint64 // the last execution's number
	underWay bool   // from the record of its dispatch to its "ok"
	began    time.Duration
	changed  bool // since the last checkpoint
}

// newPlans makes count plans with bodies of size bytes each.
func newPlans(count, size int) []barePlan {
	plans := make([]barePlan, count)
	for i := range plans {
		id := fmt.Sprintf("%0*d", idBytes, i)
		body := append([]byte("state.bare."+id), bytes.Repeat([]byte("x"), size)...)
		plans[i] = barePlan{
			replySubject:  replyPrefix + id + ".",
			resultSubject: resultPrefix + id,
			bucketSubject: bucketPrefix + "state.bare." + id,
			body:          body[:size:size],
		}
	}
	return plans
}

// reply is the subject of the plan's execution under way, made once for each:
// its last token is the execution's number and a nonce of 16 hex digits.
func (p *barePlan) reply() string {
	// Any digits cost the same; these are a multiplicative hash of the number.
	nonce := p.n*0x9e3779b97f4a7c15 | 1<<63
	var buf [128]byte
	b := append(buf[:0], p.replySubject...)
	b = strconv.AppendUint(b, p.n, 10)
	b = append(b, '-')
	b = strconv.AppendUint(b, nonce, 16)
	return string(b)
}

// parseReply returns the plan and the execution that a reply's subject names.
func parseReply(subject string) (plan int, n uint64, err error) {
	rest, ok := strings.CutPrefix(subject, replyPrefix)
	if !ok || len(rest) < idBytes+1 || rest[idBytes] != '.' {
		return 0, 0, fmt.Errorf("reply on %s: not a reply subject", subject)
	}
	number, _, _ := strings.Cut(rest[idBytes+1:], "-")
	if n, err = strconv.ParseUint(number, 10, 64); err != nil {
		return 0, 0, fmt.Errorf("reply on %s: execution: %w", subject, err)
	}
	if plan, err = strconv.Atoi(rest[idBytes-9 : idBytes]); err != nil {
		return 0, 0, fmt.Errorf("reply on %s: plan: %w", subject, err)
	}
	return plan, n, nil
}
