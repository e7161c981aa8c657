package front

import (
	"context"
	"errors"
	"fmt"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A put replaces the whole record of a station or of a task type. A kind that it does not name
// is kept from changing under plans.

// present returns the record of a station, nil when it has none.
func (f *Front) present(ctx context.Context, station string) (*schema.Station, error) {
	s, err := ask[schema.Station](ctx, f, 0, command.GetStation{Station: station})
	switch {
	case errors.Is(err, schema.CodeNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &s, nil
}

// keepsKind refuses a record without a kind where it would change that of a station which has
// plans, because their workers would get none of their executions any more. by is the kind where
// none is named in the field.
func (f *Front) keepsKind(ctx context.Context, was *schema.Station, field string, by schema.Kind) error {
	if was == nil || kindOf(was) == by {
		return nil
	}
	has, err := f.finds(ctx, command.ListPlans{Filter: schema.ListPlans{Station: was.Station}})
	if err != nil || !has {
		return err
	}
	return &schema.Error{
		Code: schema.CodeConflict, Field: field,
		Message: fmt.Sprintf("%s is missing, and %s, which has plans, is of kind %s: say that again to keep it, or kind %s to change it", field, was.Station, kindOf(was), by),
	}
}

func kindOf(s *schema.Station) schema.Kind {
	if s.Kind == "" {
		return schema.KindAPI
	}
	return s.Kind
}

// names reports that a record has a field, and neither as null nor as an empty text.
func names(record wire.Value, field string) bool {
	v := record.Field(field)
	text, is := v.Text()
	return !v.IsZero() && v.Kind() != wire.KindNull && !(is && text == "")
}
