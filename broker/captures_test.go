package broker

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
)

// An operator who follows such advice loses the plans of the other installation.
func TestStreamsOfAnotherInstallationAreNotAdvisedToBeDeleted(t *testing.T) {
	other := schema.Space{Prefix: "station", Partitions: 2}
	for _, stream := range []string{storage.JournalStream(other, 1), storage.RepliesStream(other), storage.QueuesStream(other), other.ResultsStream()} {
		if s := (Capture{stream, "station.>"}).String(); strings.Contains(s, "stream rm") || !strings.Contains(s, "--prefix station") {
			t.Errorf("%s", s)
		}
	}
	if s := (Capture{"AUDIT", "station.>"}).String(); !strings.Contains(s, "nats stream rm AUDIT, or take") {
		t.Errorf("%s", s)
	}
}
