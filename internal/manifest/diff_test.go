package manifest

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Secret headers are not shown, also inside a text that cannot be read.
func TestADifferenceShowsNoSecrets(t *testing.T) {
	for _, member := range []string{`1`, strings.Repeat("[", 100) + strings.Repeat("]", 100)} {
		c := Change{Action: Update, What: "plan http/p", plan: schema.PlanName{Station: schema.HTTPStation, PlanID: "p"}}
		c.Fields = []Field{{"messages", "", `[{"headers":{"Authorization":"Bearer hush"},"x":` + member + `}]`}}
		if shown := c.String(); strings.Contains(shown, "hush") || !strings.Contains(shown, schema.Hidden) {
			t.Errorf("it is shown as %.200s", shown)
		}
	}
}
