package broker_test

import (
	"slices"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Each stream of the server is there once, a bucket by its own name, with its usage.
func TestUsageIsOfAllStreams(t *testing.T) {
	_, nc, s := newStore(t)
	if err := s.Announce(deadline(t), schema.Node{Node: "a", Process: "1"}); err != nil {
		t.Fatal(err)
	}
	usage, err := s.Usage(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, u := range usage {
		name := u.Name
		if u.Bucket {
			name = "KV_" + name
		}
		names = append(names, name)
		if u.Replicas != 1 || u.MaxBytes <= 0 {
			t.Errorf("%+v", u)
		}
	}
	var want []string
	all := js.StreamNames(deadline(t))
	for name := range all.Name() {
		want = append(want, name)
	}
	if all.Err() != nil {
		t.Fatal(all.Err())
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("usage is of %q, the server has %q", names, want)
	}
	if i := slices.IndexFunc(usage, func(u broker.StreamUsage) bool { return u.Name == "leaders" }); i < 0 || usage[i].Messages < 1 || usage[i].Bytes == 0 {
		t.Errorf("bucket leaders in %+v", usage)
	}
}
