package client

import (
	"context"
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

type attributionKey struct{}

// WithAttribution has the changes that are requested under the context carry the attribution.
// A By or a Note of a request's own, which [schema.Plan] may have, stays. Reading requests
// carry neither.
func WithAttribution(ctx context.Context, a schema.Attribution) context.Context {
	return context.WithValue(ctx, attributionKey{}, a)
}

// attributed adds the attribution of the context to a request.
func attributed(ctx context.Context, enc wire.Encoding, group, endpoint string, request any) (any, error) {
	a, _ := ctx.Value(attributionKey{}).(schema.Attribution)
	if a.IsZero() || !slices.Contains(attributable, group) || slices.Contains(reading, endpoint) {
		return request, nil
	}
	v := wire.MapOf(enc, nil, 0)
	if request != nil {
		var err error
		if v, err = wire.ValueOf(enc, request); err != nil {
			return nil, err
		}
	}
	if !v.Field("by").IsZero() {
		a.By = ""
	}
	if !v.Field("note").IsZero() {
		a.Note = ""
	}
	return schema.WithAttribution(v, a), nil
}

// attributable are the services whose verbs take an attribution, unless they only read.
var attributable = []string{plansGroup, stationsGroup, tasksGroup, taskTypesGroup, periodicGroup, "queues", "calendars"}

// reading are the verbs of those services that change nothing.
var reading = []string{
	"get", "list", "run", "runs", "preview", "upcoming", "calendar", "timeline", "explain", "export", "items", "peek", "info", "logs", "days",
}
