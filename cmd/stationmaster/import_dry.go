package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// foresee checks a backup by itself, and then asks the scheduler, if one answers, for the outcome
// of a restore here.
func (r *restorer) foresee(cmd *cobra.Command, a *asker, from string, in io.Reader) error {
	had, err := readBackup(in, r.check)
	r.secrets.list(r.complain, "note", "in no backup")
	wrong := r.done.Refused
	line := fmt.Sprintf("the backup holds %s; wrong: %s", had, wrong.orNone())
	back, seeks := in.(io.Seeker)
	if err != nil || wrong != (backupCount{}) || !seeks || from == "-" {
		return r.report(cmd, a, err, line)
	}
	if _, err := back.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r.dry, r.left = true, schema.PlanName{}
	err = a.do(cmd, wire.MsgPack, func(ctx context.Context, c *client.Client) error {
		r.ctx, r.client = ctx, c
		return r.restore(in)
	})
	if refused, is := errors.AsType[*schema.Error](err); err != nil && (!is || refused.Code == schema.CodeUnavailable) {
		cmd.PrintErrf("note: no scheduler was asked, so the plans that are there are not known: %s\n", inTheirWords(cmd, err))
		r.done = restoring{}
		return r.report(cmd, a, nil, line)
	}
	return r.report(cmd, a, err, line+"\n"+r.done.text("here it would have restored", "kept", "refused", "would be left out"))
}

// awaits reports that a dry run refuses a plan only because it puts no calendar: those that the plan
// names are here, or are brought by the backup. The scheduler checks calendars last.
func (r *restorer) awaits(p schema.PlanCopy, refused *schema.Error) bool {
	if len(r.brought) == 0 || refused.Code != schema.CodeInvalidPlan || refused.Field != "exclude" && refused.Field != "only" {
		return false
	}
	definition, err := p.Definition()
	var plan schema.Plan
	if err != nil || wire.DecodeLoose(definition, &plan) != nil {
		return false
	}
	awaited := false
	for _, id := range slices.Concat(plan.Exclude, plan.Only) {
		if slices.Contains(r.brought, id) {
			awaited = true
		} else if _, err := r.client.Calendars().Get(r.ctx, id); err != nil {
			return false
		}
	}
	return awaited
}
