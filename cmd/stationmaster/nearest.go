package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A name that nothing has is answered with an empty list, or with "there is no such thing". These
// functions find the name that may be meant. They ask once more, and only then.

// mostNames bounds the names that are looked through.
const mostNames = 1000

// nearestOf suggests the nearest of some names; empty: none is near, or they cannot be listed.
func nearestOf[T any](given string, all iter.Seq2[T, error], nameOf func(T) string) string {
	near := wire.Nearest(given, func(yield func(string) bool) {
		for one, err := range first(mostNames, all) {
			if err != nil || !yield(nameOf(one)) {
				return
			}
		}
	})
	if near == "" || near == given {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", inShell(near))
}

// beside asks a question beside the command, on a connection of its own, because the server ends
// all that is asked on one of a user who may not ask it.
func (conn *connection) beside(cmd *cobra.Command, ask func(context.Context, *client.Client)) {
	_ = conn.do(cmd, wire.JSON, func(ctx context.Context, c *client.Client) error {
		ask(ctx, c)
		return nil
	})
}

// noPlan adds the plan of its station that may be meant to a refusal.
func (conn *connection) noPlan(cmd *cobra.Command, name schema.PlanName, err error) error {
	refused, is := errors.AsType[*schema.Error](err)
	if !is || refused.Code != schema.CodeNotFound || refused.Field != "plan_id" || strings.Contains(refused.Message, "did you mean") {
		return err
	}
	before, whole := strings.CutSuffix(err.Error(), refused.Error())
	if !whole {
		return err
	}
	typed := name.PlanID
	if args := cmd.Flags().Args(); len(args) > 0 { // an id is made of the names of HTTP jobs and queues
		if _, id, is := strings.Cut(args[0], "/"); is {
			typed = id
		}
	}
	near := ""
	conn.beside(cmd, func(ctx context.Context, c *client.Client) {
		near = wire.Nearest(typed, planIDs(ctx, c, name.Station))
	})
	said := *refused
	if near != "" && near != typed {
		said.Message += fmt.Sprintf("; did you mean %s?", inShell(name.Station+"/"+near))
	} else if text := conn.unknownStation(cmd, name.Station); text != "" {
		said.Message += "; " + text
	}
	return fmt.Errorf("%s%w", before, &said)
}

// nearestQueue suggests a queue.
func (a *asker) nearestQueue(cmd *cobra.Command, key string) (near string) {
	a.beside(cmd, func(ctx context.Context, c *client.Client) {
		near = nearestOf(key, c.Queues().All(ctx, schema.ListQueues{}), func(q schema.Queue) string { return q.Key })
	})
	return near
}

// nearestType suggests a task type.
func nearestType(ctx context.Context, c *client.Client, code string) string {
	return nearestOf(code, c.TaskTypes().All(ctx, schema.ListTaskTypes{}), func(t schema.TaskType) string { return t.Code })
}

// whyNoTask explains that no task of some types is fetched; empty: there may be none.
func (a *asker) whyNoTask(cmd *cobra.Command, types []string) (text string) {
	a.beside(cmd, func(ctx context.Context, c *client.Client) {
		for _, code := range types {
			found, err := c.TaskTypes().Get(ctx, code)
			switch {
			case errors.Is(err, client.ErrNotFound):
				text += fmt.Sprintf("; there is no task type %s%s", code, nearestType(ctx, c, code))
			case err == nil && found.Config.Kind == schema.KindAPI:
				text += fmt.Sprintf("; type %s is of kind api, whose tasks are sent to agents that subscribe", code)
			}
		}
	})
	return text
}

// unknownStation is a sentence about a station that has no record, plan or worker; empty: it has one, or
// that cannot be found out. A filter for several stations is none.
func (conn *connection) unknownStation(cmd *cobra.Command, station string) (text string) {
	if schema.CheckStation(station) == nil {
		conn.beside(cmd, func(ctx context.Context, c *client.Client) { text = unknownStation(ctx, c, station) })
	}
	return text
}

func unknownStation(ctx context.Context, c *client.Client, station string) string {
	if _, err := c.Stations().Get(ctx, station); !errors.Is(err, client.ErrNotFound) {
		return ""
	}
	for _, err := range c.Plans().All(ctx, schema.ListPlans{Station: station, Limit: 1}) {
		_ = err
		return ""
	}
	for _, err := range c.Workers().All(ctx, station) {
		_ = err
		return ""
	}
	text := fmt.Sprintf("station %s has no record, no plan and no worker", station)
	near := nearestOf(station, c.Stations().All(ctx), func(s schema.Station) string { return s.Station })
	if near == "" {
		near = nearestOf(station, c.Plans().All(ctx, schema.ListPlans{Fields: schema.FieldsBrief}), func(v schema.PlanView) string { return planNameOf(v.Plan).Station })
	}
	return text + near
}
