package explain

import (
	"strconv"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Trouble is the sentence about t.
func Trouble(t *schema.Trouble, lang schema.Lang) string {
	key := "trouble/" + string(t.Kind)
	w := wordsOf(lang)
	if t.Count == 1 {
		key = w.has(key+"/one", key)
	}
	name := t.Station
	if t.PlanID != "" {
		name += "/" + t.PlanID
	}
	return w.say(key, "name", shown(name), "count", strconv.FormatInt(t.Count, 10), "seconds", strconv.FormatFloat(float64(t.Count)/1000, 'f', 1, 64))
}
