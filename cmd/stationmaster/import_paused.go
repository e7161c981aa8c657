package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// pausedCopy is a plan of a backup as a paused one. A plan that stands still already is
// left as it was. The pause gets no time, which one by a user has, so that resumeAll knows it.
// A merge queue of a backup of an earlier release has no record; its definition gets the pause.
func pausedCopy(p schema.PlanCopy) (schema.PlanCopy, error) {
	if standsStill(p) {
		return p, nil
	}
	var err error
	if p.Inbox != nil && p.Record.IsZero() {
		definition, err := p.Definition()
		if err != nil {
			return p, err
		}
		p.Plan, err = withField(definition, "paused", true)
		p.Raw = nil
		return p, err
	}
	p.Record, err = withField(p.Record, "halt", string(schema.StatusPaused))
	return p, err
}

// standsStill reports whether a plan of a backup was paused, or had stopped.
func standsStill(p schema.PlanCopy) bool {
	if p.Inbox != nil && p.Record.IsZero() {
		definition, err := p.Definition()
		paused, _ := definition.Field("paused").Bool()
		return err == nil && paused
	}
	halt, _ := p.Record.Field("halt").Text()
	return halt != ""
}

// withField is a map with a field set.
func withField(v wire.Value, field string, to any) (wire.Value, error) {
	if v.Kind() != wire.KindMap {
		return v, errors.New("it is no map")
	}
	m := membersOf(v)
	m[field] = to
	return wire.ValueOf(v.Encoding(), m)
}

// A resuming counts the results of a resume.
type resuming struct {
	Resumed int64 `json:"resumed"`        // plans that it resumed
	Of      int64 `json:"of"`             // plans that were not paused in the backup
	Running int64 `json:"running"`        // of them, those that nothing had paused
	Left    int64 `json:"left_paused"`    // those that a user has paused, or that were not restored as paused
	Gone    int64 `json:"gone,omitempty"` // those that are not there any more
	// Restored are those that had ended unrun, because their last occurrence was due while they were paused.
	Restored int64 `json:"restored,omitempty"`
}

func (r resuming) String() string {
	text := fmt.Sprintf("resumed %d of %s that the backup has as not paused", r.Resumed, counted64(r.Of, "plan"))
	for _, of := range []struct {
		n         int64
		one, many string
	}{
		{r.Running, "is not paused now", "are not paused now"},
		{r.Left, "was left paused, because import --paused did not pause it", "were left paused, because import --paused did not pause them"},
		{r.Restored, "was restored once more, because its last occurrence was due while it was paused: it follows its catch_up", "were restored once more, because their last occurrence was due while they were paused: they follow their catch_up"},
		{r.Gone, "is not here", "are not here"},
	} {
		switch {
		case of.n == 1:
			text += "; 1 " + of.one
		case of.n > 1:
			text += fmt.Sprintf("; %d %s", of.n, of.many)
		}
	}
	return text
}

// resumeAll resumes the plans of a backup that did not stand still there, as far as the import
// has paused them.
func (r *restorer) resumeAll(in io.Reader) (done resuming, err error) {
	present, err := r.present()
	if err != nil {
		return done, err
	}
	_, err = readBackup(in, func(number int64, line *backupLine) error {
		p := line.PlanCopy
		if !line.isPlan() || standsStill(p) || p.Items != nil && p.Items.Goes {
			return nil
		}
		name, err := nameOfCopy(p)
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		done.Of++
		is, isThere := present[name]
		now := pauseIn(is, p)
		if isThere && now == pausedByImport {
			err = r.resume(name)
		}
		switch {
		case !isThere && err == nil || errors.Is(err, schema.CodeNotFound):
			again, err := r.restoreUnrun(name, p)
			if err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
			if again {
				done.Restored++
				return nil
			}
			done.Gone++
			r.errs.report(r.complain, number, planOfCopy(p)+" is not here: it was not restored, or it has closed or was removed since")
			return nil
		case err != nil:
			return fmt.Errorf("line %d: %w", number, err)
		case now == pausedByUser:
			done.Left++
			r.errs.report(r.complain, number, planOfCopy(p)+" was not paused by import --paused: it is left paused, and plan resume resumes it")
		case now == notPaused:
			done.Running++
		default:
			done.Resumed++
		}
		return nil
	})
	return done, err
}

// restoreUnrun restores a plan that has ended since --paused restored it, because its last occurrence
// was due while it was paused; false: it has another end, or is restored already.
func (r *restorer) restoreUnrun(name schema.PlanName, p schema.PlanCopy) (bool, error) {
	definition, err := p.Definition()
	if err != nil {
		return false, err
	}
	var plan schema.Plan
	if err := wire.DecodeLoose(definition, &plan); err != nil || plan.Ends() == 0 || p.Inbox != nil {
		return false, err
	}
	for last, err := range r.client.Runs().All(r.ctx, schema.ListRuns{Station: name.Station, PlanID: name.PlanID, Limit: 1}) {
		if errors.Is(err, schema.CodeNotFound) {
			return false, nil
		}
		if err != nil || !last.Final || last.State != schema.StateSkipped || last.Reason != schema.ReasonPaused || last.RealRepet+last.SkipNum != plan.Ends() {
			return false, err
		}
		answer, err := r.client.Plans().Restore(r.ctx, []schema.PlanCopy{p}, schema.ConflictError)
		return err == nil && answer.Created == 1, err
	}
	return false, nil // it keeps no results
}

// resume resumes a plan that the import has paused, which is a periodic task's pause, too. A plan that
// this ends is not found.
func (r *restorer) resume(name schema.PlanName) error {
	standing, err := r.client.PlanNamed(name).Resume(r.ctx)
	if err == nil && standing.State == schema.StatusClosed {
		return schema.CodeNotFound
	}
	if id, is := strings.CutPrefix(name.PlanID, "periodic_"); is && errors.Is(err, schema.CodeConflict) {
		return r.client.Do(r.ctx, "periodic_tasks", "online", map[string]any{"id": id}, nil)
	}
	return err
}

// A pauseOf is the kind of a plan's pause, if it has one.
type pauseOf uint8

const (
	notPaused pauseOf = iota
	pausedByImport
	pausedByUser // or created as paused
)

// present returns the plans of the installation.
func (r *restorer) present() (map[schema.PlanName]schema.PlanCopy, error) {
	plans := map[schema.PlanName]schema.PlanCopy{}
	for p, err := range r.client.Plans().Export(r.ctx) {
		if err != nil {
			return nil, err
		}
		name, err := nameOfCopy(p)
		if err != nil {
			return nil, err
		}
		plans[name] = schema.PlanCopy{Record: p.Record, Inbox: p.Inbox}
	}
	return plans, nil
}

// pauseIn is how a plan of the backup stands now. The pause of an import has no time, as that
// of a plan which was created as paused; but that one was not accepted when the backup's was.
func pauseIn(now, backup schema.PlanCopy) pauseOf {
	halt, _ := now.Record.Field("halt").Text()
	is, was := now.Record.Field("accepted"), backup.Record.Field("accepted")
	switch {
	case halt != string(schema.StatusPaused):
		return notPaused
	case !now.Record.Field("paused_at").IsZero():
		return pausedByUser
	case backup.Record.IsZero(), is.In(wire.JSON).String() == was.In(wire.JSON).String():
		return pausedByImport // a backup of an earlier release has no more facts about a queue
	default:
		return pausedByUser
	}
}
