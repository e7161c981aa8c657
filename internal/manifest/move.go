package manifest

import (
	"fmt"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A plan whose station a file changes is another plan, made beside the one that is there. moves
// pairs the two, because the new one must not begin to run when the old one was paused.
type moves map[string][]*Change // the new plans, by plan_id

// movesOf are the plans that changes make.
func movesOf(changes []Change) moves {
	m := moves{}
	for i := range changes {
		if change := &changes[i]; change.Action == Create && change.plan != (schema.PlanName{}) {
			m[change.plan.PlanID] = append(m[change.plan.PlanID], change)
		}
	}
	return m
}

// from takes over the pause of a plan of the set that the files no longer have. The rest of its
// state is remarked.
func (m moves) from(view *schema.PlanView, o Options) {
	was := nameOf(view.Plan)
	for _, change := range m[was.PlanID] {
		name := change.plan
		_, says := change.value.Field("paused").Bool()
		if s := view.State.Status; s == schema.StatusPaused && !says {
			change.value = withPause(change.value, true)
			change.Fields = append(change.Fields, Field{Name: "paused", New: "true"})
			report(o.Note, "plan %s is made paused, because %s is; stationmaster plan resume %s ends that, and paused: false in the file says that it is to run", name, was, name)
		}
		if lost := notCarried(view); len(lost) > 0 {
			report(o.Note, "plan %s begins anew: of %s it does not have %s", name, was, strings.Join(lost, ", "))
		}
	}
}

// notCarried are the parts of a plan's state without which a new one begins.
func notCarried(view *schema.PlanView) (lost []string) {
	s := &view.State
	switch {
	case s.SkipNext < 0:
		lost = append(lost, "the skip of all occurrences (plan skip)")
	case s.SkipNext > 0:
		lost = append(lost, fmt.Sprintf("the skip of the next %d (plan skip)", s.SkipNext))
	}
	if s.Status == schema.StatusPlanError || s.Status == schema.StatusPending {
		lost = append(lost, fmt.Sprintf("its stop as %s", s.Status))
	}
	if repet, given := view.Plan.Field("plan_repet").Int(); given && repet > 0 && s.RealRepet+s.SkipNum > 0 {
		lost = append(lost, fmt.Sprintf("the count, %d of %d", s.RealRepet+s.SkipNum, repet))
	}
	return lost
}
