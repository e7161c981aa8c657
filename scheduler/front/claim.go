package front

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// leaderWait is how long a leader is asked to wait at a time. It is well below the timeout of
	// a forwarded command, so that a dead leader delays its claims no longer than other requests.
	leaderWait = 2 * time.Second
	// retryPause is the pause before leaders that answered at once are asked again.
	retryPause = 50 * time.Millisecond
	// tardy is how long one partition is waited for when there are others. Executions that it
	// returns later go back, unless no other partition has any.
	tardy = time.Second
	// claimedOverhead is about the size, in bytes, of an empty answer, and of an execution in
	// it beside its body and its reply subject.
	claimedOverhead = 32
)

// claim answers a pull worker with waiting executions.
func (ps plans) claim(r *request) error {
	var q schema.Claim
	if err := r.decode(&q); err != nil {
		return err
	}
	c, err := r.checkClaim(&q)
	if err != nil {
		return err
	}
	return r.awaitWork(c, func(work []command.ClaimedExecution, again time.Duration) (any, int, error) {
		return ps.claimPage(r.enc, work, again)
	})
}

// checkClaim checks plans.claim.<station>.
func (r *request) checkClaim(q *schema.Claim) (command.ClaimWork, error) {
	var none command.ClaimWork
	station := strings.TrimPrefix(r.subject, strings.TrimSuffix(r.endpoint.subject, ">"))
	if err := schema.CheckStation(station); err != nil {
		return none, r.invalid("station", "station %v; it is the part of the subject behind plans.claim.", err)
	}
	c := command.ClaimWork{
		WorkerID: q.WorkerID, Stations: []string{station},
		TenantID: q.TenantID, Category: q.Category, Caller: q.Caller, Creator: q.Creator, Labels: q.Labels,
	}
	return c, r.checkWants(&c, q.Limit, q.WaitMS)
}

// checkWants checks a claim's worker, and sets its limit and wait.
func (r *request) checkWants(c *command.ClaimWork, limit, waitMS int64) error {
	if c.WorkerID == "" {
		return r.invalid("worker_id", "worker_id is missing; it names the worker that claims")
	}
	if err := schema.CheckID(c.WorkerID); err != nil {
		return r.invalid("worker_id", "worker_id %v", err)
	}
	c.Limit, c.Wait = max(1, int(limit)), time.Duration(waitMS)*time.Millisecond
	return nil
}

// claimPage encodes the answer of plans.claim and returns how many of the executions are in
// it: as many as a message holds. Again, unless 0, is the delay after which the worker may
// retry.
func (ps plans) claimPage(enc wire.Encoding, work []command.ClaimedExecution, again time.Duration) (any, int, error) {
	defer ps.front.sides[changing].hold()()
	size := claimedOverhead
	for i := range work {
		size += len(work[i].Body.Raw()) + len(work[i].Reply) + claimedOverhead
	}
	w := wire.NewWriter(enc, make([]byte, 0, min(size, ps.front.mostBytes())))
	w.BeginMap()
	w.Key("executions")
	w.BeginList()
	encodedCount := 0
	for i := range work {
		e := &work[i]
		body := e.Body.In(enc)
		members, _ := wire.Members(body)
		if encodedCount > 0 && len(w.Bytes())+len(members)+len(e.Reply)+headroom > ps.front.mostBytes() {
			break
		}
		w.BeginMapWith(members, body.Len())
		w.Key("reply")
		w.Text(e.Reply)
		w.EndMap()
		encodedCount++
	}
	w.EndList()
	if again > 0 {
		w.Key("retry_after_ms")
		w.Int(again.Milliseconds())
	}
	w.EndMap()
	return encoded(w.Bytes()), encodedCount, nil
}

// awaitWork answers r with the executions of a claim, from a goroutine; show encodes them and
// returns how many it has encoded. Executions that are not in the answer, or whose answer
// reaches no worker, go back. A claim without a place to wait gets the executions there are
// and a retry_after_ms; so does a claim that had to give up its place.
func (r *request) awaitWork(c command.ClaimWork, show func(work []command.ClaimedExecution, again time.Duration) (any, int, error)) error {
	f := r.front
	if !r.deadline.IsZero() {
		c.Wait = max(min(c.Wait, r.deadline.Sub(r.began)), 0) // the client has given up by then
	}
	ctx, leave := context.WithCancel(r.context(f.leaving))
	var mine *place
	var again time.Duration
	if c.Wait > 0 {
		if mine = f.places.take(stationOf(&c), c.WorkerID, leave); mine == nil {
			c.Wait, again = 0, againAfter
		}
	}
	f.handlers.Go(func() {
		defer leave()
		defer r.rescue()
		work, err := f.work(ctx, c)
		if mine != nil && f.places.free(mine) {
			again = againAfter
		}
		if err != nil {
			r.fail(err)
			return
		}
		if len(work) > 0 {
			again = 0
		}
		answer, sent, err := show(work, again)
		if err != nil {
			f.giveBack(work)
			r.fail(err)
			return
		}
		f.giveBack(work[sent:])
		r.answerClaim(answer, work[:sent])
	})
	return nil
}

// stationOf is the station whose places a claim takes. Claims over several stations, which
// tasks.fetch makes, share one.
func stationOf(c *command.ClaimWork) string {
	if len(c.Stations) == 1 {
		return c.Stations[0]
	}
	return ""
}

// answerClaim answers r with executions. They go back when NATS reports no responders on the
// reply subject of the client.
func (r *request) answerClaim(answer any, work []command.ClaimedExecution) {
	f := r.front
	if r.reply == "" {
		f.giveBack(work)
	}
	if len(work) == 0 || r.reply == "" {
		r.answer(answer)
		return
	}
	body, isEncoded := answer.(encoded)
	if !isEncoded {
		var err error
		if body, err = wire.Marshal(r.enc, answer); err != nil {
			f.giveBack(work)
			r.fail(err)
			return
		}
	}
	if len(body) > f.mostBytes() {
		f.giveBack(work)
		r.fail(&schema.Error{Code: schema.CodeTooLarge, Message: "the execution of " + work[0].Name.String() +
			" is larger in this encoding than the server delivers; claim it in the one that its publisher speaks"})
		return
	}
	if r.first() {
		r.endpoint.meter.OK(time.Since(r.began))
		r.sendFrom(f.inFlight.expect(work), schema.ContentHeader(r.enc), body)
	}
}

// work claims c from all partitions, in order, and waits as long as c allows or until ctx
// ends. The caller answers with the executions that it returns, or gives them back. Each
// partition's first come first; no partition waits for another.
func (f *Front) work(ctx context.Context, c command.ClaimWork) ([]command.ClaimedExecution, error) {
	until := time.Now().Add(c.Wait)
	h := &claimRound{front: f, want: c, first: int(f.lastPartition.Add(1))}
	if f.partitions() > 1 || c.Wait == 0 {
		h.round(ctx)
	}
	for len(h.got) == 0 && ctx.Err() == nil {
		left := time.Until(until)
		if left <= 0 {
			break
		}
		began := time.Now()
		h.wait(ctx, min(left, leaderWait))
		if len(h.got) == 0 && time.Since(began) < retryPause {
			select {
			case <-time.After(min(left, retryPause)):
			case <-ctx.Done():
			}
		}
	}
	if len(h.got) == 0 && h.failed > 0 && h.answered == 0 {
		return nil, h.err
	}
	slices.SortStableFunc(h.got, func(a, b command.ClaimedExecution) int { return a.Compare(&b) })
	if len(h.got) > c.Limit {
		f.giveBack(h.got[c.Limit:])
		h.got = h.got[:c.Limit]
	}
	return h.got, nil
}

// A claimRound is a claim on its way through the partitions.
type claimRound struct {
	front *Front
	want  command.ClaimWork
	first int // the partition that is asked first
	got   []command.ClaimedExecution

	// Of the last pass over the partitions.
	answered, failed int
	err              error
}

// claimAnswer is the answer of one partition.
type claimAnswer struct {
	work []command.ClaimedExecution
	err  error
}

// ask has a partition carry out a claim; its answer always comes, on a channel.
func (h *claimRound) ask(ctx context.Context, partition int, c command.ClaimWork, to chan<- claimAnswer) {
	h.front.passBy(ctx, partition, c, func(answer any, err error) {
		work, _ := answer.(command.ClaimedWork)
		to <- claimAnswer{work.Executions, err}
	})
}

func (h *claimRound) take(c claimAnswer) {
	if c.err != nil {
		h.failed++
		h.err = c.err
		return
	}
	h.answered++
	h.got = append(h.got, c.work...)
}

// round asks one partition after the other for the executions that are waiting now.
func (h *claimRound) round(ctx context.Context) {
	h.answered, h.failed = 0, 0
	n, left := h.front.partitions(), 0
	answers := make(chan claimAnswer, n)
	for i := range n {
		if len(h.got) >= h.want.Limit || ctx.Err() != nil && i > 0 {
			break
		}
		c := h.want
		c.Limit, c.Wait = h.want.Limit-len(h.got), 0
		h.ask(ctx, (h.first+i)%n, c, answers)
		left++
		if n == 1 {
			break
		}
		select {
		case a := <-answers:
			h.take(a)
			left--
		case <-time.After(tardy):
		}
	}
	for ; left > 0 && len(h.got) == 0; left-- {
		h.take(<-answers)
	}
	h.returnRest(answers, left)
}

// returnRest gives back the executions of answers that are still to come, because the claim has
// enough.
func (h *claimRound) returnRest(answers <-chan claimAnswer, left int) {
	if left == 0 {
		return
	}
	f := h.front
	f.handlers.Go(func() {
		defer f.rescue()
		for range left {
			f.giveBack((<-answers).work)
		}
	})
}

// wait asks all partitions to wait for at most long, and returns with the executions of all
// that have answered when the first one has some.
func (h *claimRound) wait(ctx context.Context, long time.Duration) {
	h.answered, h.failed = 0, 0
	n := h.front.partitions()
	c := h.want
	c.ID, c.Wait = rand.Text(), long
	if n > 1 {
		c.Limit = 1 // each may have an execution, and one is enough to go on
	}
	answers := make(chan claimAnswer, n)
	for p := range n {
		h.ask(ctx, p, c, answers)
	}
	left, enough := n, ctx.Done()
	var again, late <-chan time.Time // a stop may come to a leader elsewhere before its claim
	for gathering := true; gathering && left > 0; {
		select {
		case a := <-answers:
			h.take(a)
			left--
		case <-enough:
		case <-again:
			again = h.stop(c.ID)
		case <-late:
			gathering = false
		}
		if left > 0 && late == nil && (len(h.got) > 0 || ctx.Err() != nil) {
			enough, again, late = nil, h.stop(c.ID), time.After(tardy)
		}
	}
	h.returnRest(answers, left)
	if n > 1 && len(h.got) > 0 && len(h.got) < h.want.Limit {
		h.round(ctx)
	}
}

// stop ends the wait of a claim at all partitions. It returns the time to repeat that, in case
// the wait has not ended.
func (h *claimRound) stop(id string) <-chan time.Time {
	for p := range h.front.partitions() {
		h.front.config.Leader.Ask(p, command.StopClaim{ID: id}, func(any, error) {})
	}
	return time.After(retryPause)
}

// giveBack returns executions to their leaders, because they reach no worker.
func (f *Front) giveBack(work []command.ClaimedExecution) {
	names := make([]command.ClaimedName, len(work))
	for i := range work {
		names[i] = work[i].ClaimedName
	}
	f.giveBackNamed(names)
}

func (f *Front) giveBackNamed(names []command.ClaimedName) {
	byPartition := map[int][]command.ClaimedName{}
	for _, n := range names {
		p := f.partition(n.Name.PlanID)
		byPartition[p] = append(byPartition[p], n)
	}
	for p, names := range byPartition {
		f.config.Leader.Ask(p, command.ReturnWork{Executions: names}, func(any, error) {})
	}
}
