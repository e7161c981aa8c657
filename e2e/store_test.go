package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// jetStream is JetStream on this connection.
func (c *client) jetStream() jetstream.JetStream {
	c.t.Helper()
	js, err := jetstream.New(c.nc, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		c.t.Fatal(err)
	}
	return js
}

func bucket(t *testing.T, c *client, name string) jetstream.KeyValue {
	t.Helper()
	kv, err := c.jetStream().KeyValue(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return kv
}

// row waits until a key has a value, or has none if it should be gone, because a delete
// marker exists for some seconds only.
func row(t *testing.T, kv jetstream.KeyValue, key string, there bool) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	watch, err := kv.Watch(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	for has := false; ; {
		select {
		case entry := <-watch.Updates():
			if entry == nil { // the end of the existing rows
				if !has && !there {
					return nil
				}
				continue
			}
			has = true
			if (entry.Operation() == jetstream.KeyValuePut) == there {
				return entry.Value()
			}
		case <-ctx.Done():
			t.Fatalf("key %s of bucket %s: there should be %v", key, kv.Bucket(), there)
		}
	}
}

func TestTheBucketHoldsTheDefinitionAsItWasSent(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		plans := bucket(t, c, "plans")
		sent := far(station).with(body{"plan_id": "p", "plan_type": 1, "ext": body{"z": 1, "a": []any{nil, 2.5, 9007199254740993}}})
		c.create(sent)
		raw := row(t, plans, "plan."+station+".p", true)
		if got := speaks(raw); got.name != c.enc.name {
			t.Fatalf("the row is in %s: %q", got.name, raw)
		}
		stored, err := c.enc.decode(raw)
		if diff := cmp.Diff(same(sent), same(stored)); err != nil || diff != "" {
			t.Errorf("%v, the row (-sent +got):\n%s", err, diff)
		}
		if got := row(t, plans, "state."+station+".p", true); len(got) == 0 {
			t.Error("the state's row is empty")
		}
		c.req("plans.remove", name(station, "p"))
		row(t, plans, "plan."+station+".p", false)
		row(t, plans, "state."+station+".p", false)
	})
}

func TestTheLeaseIsJSONWithNodeAndEpoch(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	var lease struct {
		Node  string `json:"node"`
		Epoch int64  `json:"epoch"`
	}
	if err := json.Unmarshal(row(t, bucket(t, c, "leaders"), "0", true), &lease); err != nil {
		t.Fatal(err)
	}
	if lease.Node == "" || lease.Epoch < time.Now().Add(-time.Hour).UnixMilli() {
		t.Errorf("the lease is %+v", lease)
	}
}

// kept reads the messages of a subject in PLAN_RESULTS, at least one. A result is broadcast
// before it is stored, so the leaders are asked first for the runs that have ended, because
// they answer when all earlier results are stored.
func (c *client) kept(subject string) []jetstream.Msg {
	c.t.Helper()
	c.req("tasks.list", body{"history": true, "limit": 1})
	results, err := c.jetStream().OrderedConsumer(c.t.Context(), "PLAN_RESULTS", jetstream.OrderedConsumerConfig{FilterSubjects: []string{subject}})
	if err != nil {
		c.t.Fatal(err)
	}
	var all []jetstream.Msg
	for left := uint64(1); left > 0; {
		msg, err := results.Next(jetstream.FetchMaxWait(patience))
		if err != nil {
			c.t.Fatal(err)
		}
		meta, err := msg.Metadata()
		if err != nil {
			c.t.Fatal(err)
		}
		left = meta.NumPending
		all = append(all, msg)
	}
	return all
}

func TestResultsAreKeptInTheirStream(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		c.serve(station, ok)
		results := c.results(station)
		const count = 20
		c.create(again(station, count))
		var live []*nats.Msg
		for range count {
			live = append(live, results.msg())
		}
		kept := c.kept("plan.result." + station + ".p")
		if len(kept) != count {
			t.Fatalf("%d results are kept of %d that were broadcast", len(kept), count)
		}
		for i, msg := range kept {
			if !bytes.Equal(msg.Data(), live[i].Data) || msg.Headers().Get("Content-Type") != c.enc.contentType {
				t.Errorf("kept is %q in %s, broadcast was %q", msg.Data(), msg.Headers().Get("Content-Type"), live[i].Data)
			}
		}
	})
}

func TestTheServicesShowThemselvesToNatsMicro(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	inbox := c.listen(c.nc.NewRespInbox())
	if err := c.nc.PublishRequest("$SRV.INFO", inbox.sub.Subject, nil); err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, verb := range words("create get list update pause resume trigger skip reset close remove cancel run runs preview upcoming explain import") {
		missing["plans."+verb] = true
	}
	for _, subject := range words("stations.put stations.get stations.list stations.delete workers.list") {
		missing[subject] = true
	}
	for len(missing) > 0 {
		msg, err := inbox.sub.NextMsg(patience)
		if err != nil {
			t.Fatalf("no endpoints %v", missing)
		}
		var info struct {
			Endpoints []struct {
				Subject string `json:"subject"`
			} `json:"endpoints"`
		}
		if err := json.Unmarshal(msg.Data, &info); err != nil {
			t.Fatal(err)
		}
		for _, e := range info.Endpoints {
			delete(missing, e.Subject)
		}
	}
}
