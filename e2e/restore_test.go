package e2e

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A start that cannot read the installation's record prints the command that repairs it,
// and the embedded server stays up, because without it the command could not be run.
func TestAnInstallationThatCannotBeReadIsRestoredWhileItWaits(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	station := c.station()
	c.create(far(station).with(body{"plan_id": "kept"}))
	c.overwrite("leaders", "installation")
	c.overwrite("leaders", "copy.installation")
	s.kill9()
	s.spawn()
	line, ok := s.log.await("the installation cannot be used", s.ended)
	if !ok || !strings.Contains(line, "nats kv put leaders installation") {
		t.Fatalf("the log lacks the command: %q\n%s", line, s.log)
	}
	if code, err := s.get("/readyz"); err != nil || code != 503 {
		t.Errorf("/readyz is %d, %v", code, err)
	}
	nc, err := nats.Connect(s.nats, nats.RetryOnFailedConnect(true), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	restored := `{"id":"restored","key":"000102030405060708090a0b0c0d0e0f","created":"2026-01-01T00:00:00Z","partitions":1}`
	if _, err := nc.Request("$KV.leaders.installation", []byte(restored), patience); err != nil {
		t.Fatal(err)
	}
	if err := s.ready(); err != nil {
		t.Fatal(err)
	}
	connect(t, s, inJSON).req("plans.get", name(station, "kept"))
}

// overwrite puts JetStream's acknowledgement of a worker's record to a key, as often as the
// bucket has history. Every client that may write such a record can do so.
func (c *client) overwrite(bucketName, key string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	watch, err := bucket(c.t, c, bucketName).Watch(ctx, key, jetstream.UpdatesOnly())
	if err != nil {
		c.t.Fatal(err)
	}
	defer watch.Stop()
	for range 2 {
		if err := c.nc.PublishRequest("$KV.workers.x", "$KV."+bucketName+"."+key, []byte(`{"worker_id":"x","stations":["x"]}`)); err != nil {
			c.t.Fatal(err)
		}
		for spoilt := false; !spoilt; {
			select {
			case entry := <-watch.Updates():
				spoilt = entry != nil && bytes.Contains(entry.Value(), []byte(`"KV_workers"`))
			case <-ctx.Done():
				c.t.Fatalf("key %s of bucket %s was not overwritten", key, bucketName)
			}
		}
	}
}

// The leader writes the rows of a plan, or the fence of the bucket, again when another client has
// overwritten them, so that the plan is there after a kill.
func TestRowsThatWereOverwrittenAreWrittenAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	station := c.station()
	c.create(far(station).with(body{"plan_id": "victim"}))
	plans := bucket(t, c, "plans")
	row(t, plans, "state."+station+".victim", true)
	for _, key := range []string{"plan." + station + ".victim", "state." + station + ".victim"} {
		c.overwrite("plans", key)
	}
	c.overwrite("plans", "plan."+station+".nobody")
	if _, ok := s.log.await("another client has written rows of the bucket", s.ended); !ok {
		t.Fatal("the log lacks the line")
	}
	for _, key := range []string{"plan." + station + ".victim", "state." + station + ".victim"} {
		c.healed(plans, key)
	}
	row(t, plans, "plan."+station+".nobody", false)
	s.kill9()
	s.restart(t)
	c = connect(t, s, inJSON)
	c.req("plans.get", name(station, "victim"))
}

// healed waits until a row no longer holds the acknowledgement of a stream.
func (c *client) healed(kv jetstream.KeyValue, key string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	watch, err := kv.Watch(ctx, key)
	if err != nil {
		c.t.Fatal(err)
	}
	defer watch.Stop()
	for {
		select {
		case entry := <-watch.Updates():
			if entry != nil && entry.Operation() == jetstream.KeyValuePut && !bytes.Contains(entry.Value(), []byte(`"KV_workers"`)) {
				return
			}
		case <-ctx.Done():
			c.t.Fatalf("key %s of bucket %s was not written again", key, kv.Bucket())
		}
	}
}
