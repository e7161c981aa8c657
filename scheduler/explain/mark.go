package explain

import (
	"strconv"

	"github.com/stationmaster-io/stationmaster/schema"
)

// NewLeader is the sentence about a partition that has another leader.
func NewLeader(partition int, lang schema.Lang) string {
	return wordsOf(lang).say("mark/leader", "partition", strconv.Itoa(partition))
}

// NewVersion is the sentence about a version that workers of a station have, and of others where it
// came to several.
func NewVersion(version, station string, others bool, lang schema.Lang) string {
	key := "mark/version"
	if others {
		key = "mark/version/others"
	}
	return wordsOf(lang).say(key, "version", shown(version), "name", shown(station))
}
