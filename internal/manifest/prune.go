package manifest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// prune returns the removals of the set's plans that the files do not have; made are plans that may
// take their places.
func prune(ctx context.Context, c *client.Client, wanted map[schema.PlanName]bool, made moves, o Options) (changes []Change, err error) {
	had := 0
	for view, err := range c.Plans().All(ctx, ofSet(o)) {
		if err != nil {
			return nil, fmt.Errorf("look for plans to prune: %w", err)
		}
		had++
		if name := nameOf(view.Plan); !wanted[name] {
			made.from(&view, o)
			changes = append(changes, Change{Action: Remove, What: titleOf(name, view.Plan), plan: name, revision: view.State.Revision})
		}
	}
	if 2*len(changes) > had && !o.PruneMost {
		err = fmt.Errorf("%w: %d of the %d plans of %s", ErrPrunesMost, len(changes), had, o.Set)
	}
	return changes, err
}

func ofSet(o Options) schema.ListPlans {
	return schema.ListPlans{Labels: map[string]string{Label: o.Set}, Limit: 1000}
}

// The limits of the search without --prune: its duration, because the caller did not ask
// for removals, and the number of names in its note.
const (
	longestRead = 3 * time.Second
	fewNames    = 3
)

// noteLeft notes the plans that prune would remove, because an edited line of a crontab is
// another plan, and the plan of the old line runs on beside it. Where no plan is new it gives up
// when the search takes long, as among very many plans, or fails.
func noteLeft(ctx context.Context, c *client.Client, wanted map[schema.PlanName]bool, made moves, o Options) error {
	var left []string
	request := ofSet(o)
	for end := time.Now().Add(longestRead); len(made) > 0 || o.Note != nil && time.Now().Before(end); {
		page, err := c.Plans().List(ctx, request)
		switch {
		case err != nil && len(made) > 0:
			return fmt.Errorf("look for plans whose places new ones take: %w", err)
		case err != nil:
			return nil //nolint:nilerr // the note is optional
		}
		for i := range page.Plans {
			if name := nameOf(page.Plans[i].Plan); !wanted[name] {
				made.from(&page.Plans[i], o)
				left = append(left, name.String())
			}
		}
		if request.Cursor = page.Next; page.Next == "" {
			o.reportLeft(left)
			return nil
		}
	}
	return nil
}

// Few are the first of some names, for a message.
func Few(names []string) string {
	if len(names) > fewNames {
		names = append(names[:fewNames:fewNames], "…")
	}
	return strings.Join(names, ", ")
}

func (o *Options) reportLeft(names []string) {
	n := len(names)
	if n == 0 {
		return
	}
	what, remove := "1 plan of set "+o.Set+" is", "it"
	if n > 1 {
		what, remove = fmt.Sprintf("%d plans of set %s are", n, o.Set), "them"
	}
	which := Few(names)
	if o.Set == defaultSet { // the default set has all that was applied without a set, perhaps file by file
		report(o.Note, "%s not in these files; if these are all files of the set, --set %s --prune removes %s (%s)", what, o.Set, remove, which)
		return
	}
	report(o.Note, "%s no longer in these files; --prune removes %s (%s)", what, remove, which)
}
