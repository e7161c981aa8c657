//go:build linux

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A fault is one that was caused, and its effect.
type fault struct {
	Kind, Target string
	At, Over     time.Time
	Partitions   []int           // led by its target
	Resumed      []time.Duration // until the partition was seen to act under another epoch
	Store        bool            // its target includes a nats-server
}

// nemesis causes faults.
type nemesis struct {
	in      *installation
	hist    *history
	workers *workers
	chance  *rand.Rand
}

// A trick is one kind of fault.
type trick struct {
	name string
	// of reports whether a setup knows it.
	of func(*installation) bool
	do func(*nemesis, context.Context, *fault)
}

func always(*installation) bool       { return true }
func several(in *installation) bool   { return len(in.nodes) > 1 } // another takes over
func external(in *installation) bool  { return len(in.hosts) > 0 }
func clustered(in *installation) bool { return len(in.servers()) >= 3 }

func tricks(names string) (list []trick) {
	for _, t := range allTricks {
		if names == "" || slices.Contains(strings.Split(names, ","), t.name) {
			list = append(list, t)
		}
	}
	return list
}

var allTricks = []trick{
	{"kill", always, (*nemesis).kill},
	{"term", several, (*nemesis).term},
	{"stop", several, (*nemesis).freeze},
	{"starve", always, (*nemesis).starve},
	{"cut", external, cutting(weather{refuse: true}, 50, 3000)},
	{"blackhole", external, cutting(weather{holdUp: true, holdDown: true}, 200, 5000)},
	{"deaf", external, cutting(weather{holdDown: true}, 200, 4000)},
	{"mute", external, cutting(weather{holdUp: true}, 200, 4000)},
	{"slow", external, cutting(weather{delay: 100 * time.Millisecond, piece: 4 << 10}, 1000, 4000)},
	{"nats-kill", external, (*nemesis).killHost},
	{"nats-stop", external, (*nemesis).freezeHost},
	{"slow-disk", slowable, (*nemesis).slowDisk},
	{"move", clustered, (*nemesis).moveStream},
	{"quorum", clustered, (*nemesis).killQuorum},
	{"all", always, (*nemesis).killAll},
	{"worker", always, (*nemesis).killWorker},
	{"worker-stop", always, (*nemesis).freezeWorker},
	{"worker-cut", always, (*nemesis).cutWorker},
	{"clock", timed, (*nemesis).wrongClock},
}

// within bounds the time of a partition without a leader, once all is whole.
const within = 45 * time.Second

// run causes faults until ctx ends, or count of them, one after the other. The next begins when
// all nodes are ready again.
func (n *nemesis) run(ctx context.Context, list []trick, count int) {
	for i := 0; ctx.Err() == nil && (count == 0 || i < count); i++ {
		n.calm()
		n.aim(ctx)
		if ctx.Err() != nil {
			return
		}
		t := list[n.chance.IntN(len(list))]
		if !t.of(n.in) {
			continue
		}
		f := &fault{Kind: t.name}
		t.do(n, ctx, f)
		f.Over = time.Now()
		n.hist.edit(func() { n.hist.faults = append(n.hist.faults, f) })
		if *length > 0 {
			n.in.t.Logf("%s %s", f.At.Format("15:04:05.000"), f)
		}
	}
}

func (f *fault) String() string {
	text := f.Kind + " " + f.Target
	if len(f.Partitions) > 0 {
		text += fmt.Sprintf(", which led %v", f.Partitions)
	}
	if len(f.Resumed) > 0 {
		text += fmt.Sprintf(": acts again after %v", f.Resumed)
	}
	return text
}

// aim waits for a moment within half a second of a full one.
func (n *nemesis) aim(ctx context.Context) {
	tick := time.Now().Add(600 * time.Millisecond).Truncate(time.Second).Add(time.Second)
	rest(ctx, time.Until(tick.Add(time.Duration(n.chance.IntN(1000)-500)*time.Millisecond)))
}

// calm restarts killed processes, and waits until every node is ready and every partition
// has a leader.
func (n *nemesis) calm() {
	for _, node := range n.in.nodes {
		if node.running() {
			continue
		}
		if node.wanted {
			n.in.t.Errorf("%s has given up: %s", node.name, node.log.tail(1))
		}
		n.in.start(node)
	}
	for _, node := range n.in.nodes {
		n.in.awaitReady(node)
	}
	for until := time.Now().Add(within); time.Now().Before(until); {
		led := true
		for p := range n.in.partitions {
			_, epoch := n.in.leader(p)
			led = led && epoch > 0 && n.hist.epoch(p) >= epoch
		}
		if led {
			return
		}
		rest(context.Background(), 20*time.Millisecond)
	}
	n.in.stuck("partitions without a leader that acts, though all nodes are ready: %v", n.in.leaders)
}

// whole waits until every node is ready, its replicas of the streams included.
func (n *nemesis) whole() {
	for until := time.Now().Add(within); time.Now().Before(until); {
		whole := true
		for _, node := range n.in.nodes {
			resp, err := http.Get("http://" + node.http + "/readyz")
			whole = whole && err == nil && resp.StatusCode == http.StatusOK
			if err == nil {
				_ = resp.Body.Close()
			}
		}
		if whole {
			return
		}
		rest(context.Background(), 100*time.Millisecond)
	}
	n.in.stuck("not every node becomes ready")
}

// victim returns a node, which is mostly a leader.
func (n *nemesis) victim(f *fault) *node {
	v, _ := n.in.leader(n.chance.IntN(n.in.partitions))
	if v == nil || n.chance.IntN(8) == 0 {
		v = n.in.nodes[n.chance.IntN(len(n.in.nodes))]
	}
	f.Target, f.Partitions, f.Store = v.name, n.in.leads(v.name), n.in.setup.hosts == 0
	return v
}

// measured causes harm and measures the time until those partitions that the victim led act
// under another leader. A leader that is stopped by SIGTERM leads on while it answers
// requests under way, so this is no time without a leader.
func (n *nemesis) measured(f *fault, harm func()) {
	before := map[int]int64{}
	for _, p := range f.Partitions {
		before[p] = n.hist.epoch(p)
	}
	f.At = time.Now()
	harm()
	n.resumed(f, before, within)
}

func (n *nemesis) resumed(f *fault, before map[int]int64, patient time.Duration) {
	for _, p := range f.Partitions {
		at, ok := n.hist.after(p, before[p], patient)
		if !ok {
			n.in.stuck("%s of %s at %v: partition %d does not act %v later", f.Kind, f.Target, f.At, p, patient)
		}
		f.Resumed = append(f.Resumed, at.Sub(f.At).Round(time.Millisecond))
	}
}

// outlasted waits until partitions act again behind a fault that has ended: under another leader, or the
// same one, whose lease may have lasted longer.
func (n *nemesis) outlasted(f *fault, before map[int]int64) {
	ended := time.Now()
	for _, p := range f.Partitions {
		if !n.hist.actsSince(p, ended, within) {
			n.in.stuck("%s of %s at %v: partition %d does not act %v behind its end", f.Kind, f.Target, f.At, p, within)
		}
		if at, ok := n.hist.after(p, before[p], 0); ok {
			f.Resumed = append(f.Resumed, at.Sub(f.At).Round(time.Millisecond))
		}
	}
}

func (n *nemesis) kill(_ context.Context, f *fault) {
	v := n.victim(f)
	n.measured(f, func() {
		v.kill9()
		n.in.forget(v.name)
		n.in.start(v)
	})
}

func (n *nemesis) term(_ context.Context, f *fault) {
	v := n.victim(f)
	n.measured(f, func() {
		v.wanted = false
		v.signal(syscall.SIGTERM)
		n.in.forget(v.name)
	})
	if code, err := v.exit(); err != nil || code != 0 {
		n.in.t.Errorf("%s ended with %d after SIGTERM: %v", v.name, code, err)
	}
	n.in.start(v)
}

// freeze stops a node for longer than its lease, and lets it go on.
func (n *nemesis) freeze(ctx context.Context, f *fault) {
	v := n.victim(f)
	n.measured(f, func() {
		v.signal(syscall.SIGSTOP)
		n.in.forget(v.name)
	})
	rest(ctx, time.Duration(n.chance.IntN(3000))*time.Millisecond)
	v.signal(syscall.SIGCONT)
}

// starve leaves a node a tenth of its time, like a machine with far too much load. The node may
// keep its lease or lose it.
func (n *nemesis) starve(ctx context.Context, f *fault) {
	v := n.victim(f)
	f.At = time.Now()
	lasts := time.Duration(500+n.chance.IntN(4500)) * time.Millisecond
	f.Target += " for " + lasts.String()
	for ctx.Err() == nil && time.Since(f.At) < lasts {
		v.signal(syscall.SIGSTOP)
		rest(ctx, 90*time.Millisecond)
		v.signal(syscall.SIGCONT)
		rest(ctx, 10*time.Millisecond)
	}
}

// cutting is a fault of the network between a node and NATS, which lasts from least to most
// milliseconds. Short ones need not cost the leadership.
func cutting(w weather, least, most int) func(*nemesis, context.Context, *fault) {
	return func(n *nemesis, ctx context.Context, f *fault) {
		v := n.victim(f)
		before := map[int]int64{}
		for _, p := range f.Partitions {
			before[p] = n.hist.epoch(p)
		}
		f.At = time.Now()
		lasts := time.Duration(least+n.chance.IntN(most-least)) * time.Millisecond
		f.Target += " for " + lasts.String()
		whole := suffer(ctx, v.links, w, lasts) // the last one is over when the time for faults is
		if whole && lasts > 2500*time.Millisecond && f.Kind != "slow" {
			n.outlasted(f, before)
		}
	}
}

func (n *nemesis) killHost(ctx context.Context, f *fault) {
	h := n.in.hosts[n.chance.IntN(len(n.in.hosts))]
	f.Target, f.Store, f.At = h.name, true, time.Now()
	h.kill9()
	rest(ctx, time.Duration(n.chance.IntN(2000))*time.Millisecond)
	n.again(h)
	n.acts(f)
}

// moveStream makes another server the leader of a stream.
func (n *nemesis) moveStream(ctx context.Context, f *fault) {
	js := n.in.jetStream("mover")
	defer js.Conn().Close()
	f.At = time.Now()
	var streams []string
	names := js.StreamNames(ctx)
	for name := range names.Name() {
		streams = append(streams, name)
	}
	if err := names.Err(); err != nil || len(streams) == 0 {
		f.Target = "none: " + fmt.Sprint(err) // the cluster cannot do so now
		return
	}
	slices.Sort(streams)
	f.Target = streams[n.chance.IntN(len(streams))]
	if _, err := js.Conn().Request("$JS.API.STREAM.LEADER.STEPDOWN."+f.Target, nil, askWithin); err != nil {
		f.Target += ": " + err.Error()
	}
}

// killQuorum kills all nats-servers but one, so that nothing can be stored.
func (n *nemesis) killQuorum(ctx context.Context, f *fault) {
	servers := n.in.servers()
	n.chance.Shuffle(len(servers), func(i, j int) { servers[i], servers[j] = servers[j], servers[i] })
	dead := servers[1:]
	f.Target, f.Store, f.At = "all but "+servers[0].name, true, time.Now()
	for _, s := range dead {
		s.signal(syscall.SIGKILL)
	}
	for _, s := range dead {
		s.kill9()
		n.in.forget(s.name) // of the partitions that it led, if it is a node
	}
	rest(ctx, time.Duration(n.chance.IntN(5000))*time.Millisecond)
	for _, s := range dead {
		n.again(s)
	}
	n.acts(f)
}

func (n *nemesis) freezeHost(ctx context.Context, f *fault) {
	h := n.in.hosts[n.chance.IntN(len(n.in.hosts))]
	f.Target, f.Store, f.At = h.name, true, time.Now()
	h.signal(syscall.SIGSTOP)
	rest(ctx, time.Duration(500+n.chance.IntN(5000))*time.Millisecond)
	h.signal(syscall.SIGCONT)
	n.acts(f)
}

// killAll ends every process, and starts all of them again.
func (n *nemesis) killAll(_ context.Context, f *fault) {
	f.Target, f.Store, f.At = "every process", true, time.Now()
	for _, h := range n.in.hosts {
		h.signal(syscall.SIGKILL)
	}
	for _, v := range n.in.nodes {
		v.signal(syscall.SIGKILL)
	}
	for _, h := range n.in.hosts {
		h.kill9()
	}
	for _, v := range n.in.nodes {
		v.wanted = false
		v.kill9()
		n.in.forget(v.name)
	}
	for _, h := range n.in.hosts {
		n.again(h)
	}
	for _, v := range n.in.nodes {
		n.in.start(v)
	}
	n.acts(f)
}

// again starts a nats-server again, which may be that of a node.
func (n *nemesis) again(p *process) {
	if i := slices.IndexFunc(n.in.nodes, func(v *node) bool { return v.process == p }); i >= 0 {
		n.in.start(n.in.nodes[i])
	} else if err := p.spawn(); err != nil {
		n.in.t.Fatal(err)
	}
}

// acts waits until every partition acts once more, under any epoch.
func (n *nemesis) acts(f *fault) {
	for p := range n.in.partitions {
		since := time.Now()
		if !n.hist.actsSince(p, since, within) {
			n.in.stuck("%s of %s at %v: partition %d does not act %v later", f.Kind, f.Target, f.At, p, within)
		}
		f.Partitions = append(f.Partitions, p)
		f.Resumed = append(f.Resumed, time.Since(f.At).Round(time.Millisecond))
	}
}
