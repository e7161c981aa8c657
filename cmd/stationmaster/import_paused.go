package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// pausedCopy is a plan of a backup as a paused one. A plan that stands still already is
// left as it was; a merge queue gets the pause in its definition, because its items make
// it.
func pausedCopy(p schema.PlanCopy) (schema.PlanCopy, error) {
	if p.Inbox != nil {
		definition, err := p.Definition()
		if err != nil {
			return p, err
		}
		p.Plan, err = withField(definition, "paused", true)
		p.Raw = nil
		return p, err
	}
	if standsStill(p) {
		return p, nil
	}
	var err error
	p.Record, err = withField(p.Record, "halt", string(schema.StatusPaused))
	return p, err
}

// standsStill reports whether a plan of a backup was paused, or had stopped.
func standsStill(p schema.PlanCopy) bool {
	if p.Inbox != nil {
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

// resumeAll resumes the plans of a backup that did not stand still there, and returns their
// number.
func (r *restorer) resumeAll(in io.Reader) (resumed int64, err error) {
	_, err = readBackup(in, func(number int64, line *backupLine) error {
		p := line.PlanCopy
		if !line.Station.IsZero() || standsStill(p) || p.Items != nil && p.Items.Goes {
			return nil
		}
		name, err := nameOfCopy(p)
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		view, err := r.client.PlanNamed(name).Get(r.ctx)
		switch {
		case errors.Is(err, schema.CodeNotFound):
			return nil // it has closed
		case err == nil && view.State.Status != schema.StatusPaused:
			return nil
		case err == nil:
			_, err = r.client.PlanNamed(name).Resume(r.ctx)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		resumed++
		return nil
	})
	return resumed, err
}
