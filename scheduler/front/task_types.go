package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
)

// taskTypes are the verbs of task types. A task type is the record of a station, so they are
// those of stations in other terms.
type taskTypes struct{ front *Front }

func (tts taskTypes) put(r *request) error {
	s, secret, err := task.ParseType(r.body)
	if err != nil {
		return err
	}
	named := names(r.body.Field("config"), "kind")
	return r.async(func(ctx context.Context) (any, error) {
		was, err := tts.unclaimed(ctx, s.Station)
		if err == nil && !named {
			err = tts.front.keepsKind(ctx, was, "config.kind", schema.KindPull)
		}
		if err != nil {
			return nil, err
		}
		if err := tts.keepSecret(ctx, s, secret); err != nil {
			return nil, err
		}
		puts, err := changeStation[schema.StationPut](ctx, tts.front, command.PutStation{Station: s})
		if err == nil && !isSigned(s) {
			err = tts.forgetSecret(ctx, s.Station)
		}
		put := last(puts)
		answer := schema.TaskTypePut{Code: put.Station, Created: put.Created}
		if was != nil {
			answer.Dropped = command.Dropped(was.TaskType, s.TaskType)
		}
		return answer, err
	})
}

func isSigned(s *schema.Station) bool { return s.Callback != nil && s.Callback.Signed() }

// keepSecret stores the secret that signs the callbacks of a type, before the type requires
// it. A type that is put again without one keeps its secret, because no user can read a secret
// to repeat it.
func (tts taskTypes) keepSecret(ctx context.Context, s *schema.Station, secret schema.Secret) error {
	switch {
	case !isSigned(s):
		return nil
	case secret != "":
		return unstored(tts.front.config.Secrets.Put(ctx, s.Station, secret))
	}
	known, err := tts.front.config.Secrets.Has(ctx, s.Station)
	if err == nil && !known {
		return &schema.Error{
			Code: schema.CodeInvalidRequest, Field: "config.callback.security.sk",
			Message: "config.callback.security.sk is missing; security aksk signs with it, and none is stored for this type (a backup holds no secrets: put the type again with its sk)",
		}
	}
	return unstored(err)
}

// forgetSecret removes the secret of a type that does not sign its callbacks.
func (tts taskTypes) forgetSecret(ctx context.Context, code string) error {
	known, err := tts.front.config.Secrets.Has(ctx, code)
	if err == nil && known {
		err = tts.front.config.Secrets.Delete(ctx, code)
	}
	return unstored(err)
}

// unstored is an error of the store of secrets, which never contains a secret.
func unstored(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, broker.ErrUnsealed) {
		return &schema.Error{Code: schema.CodeConflict, Message: err.Error()}
	}
	return &schema.Error{Code: schema.CodeUnavailable, Message: "the secret cannot be stored or read at the moment: " + err.Error()}
}

func (tts taskTypes) get(r *request) error {
	code, err := r.typeCode()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) { return tts.itself(ctx, code) })
}

// taskType returns the type of that code.
func taskType(ctx context.Context, f *Front, code string) (*schema.TaskType, error) {
	s, err := ask[schema.Station](ctx, f, 0, command.GetStation{Station: code})
	return typeOf(code, &s, err)
}

// itself is taskType for a request about the type, and not about a task of it.
func (tts taskTypes) itself(ctx context.Context, code string) (*schema.TaskType, error) {
	t, err := taskType(ctx, tts.front, code)
	var e *schema.Error
	if errors.As(err, &e) && e.Field == "type" {
		err = &schema.Error{Code: e.Code, Field: "code", Message: e.Message}
	}
	return t, err
}

// typeOf returns the type that a leader answered for.
func typeOf(code string, s *schema.Station, err error) (*schema.TaskType, error) {
	t, ok := task.TypeOf(s)
	switch {
	case err != nil && !errors.Is(err, schema.CodeNotFound):
		return nil, err
	case err != nil, !ok:
		return nil, &schema.Error{
			Code: schema.CodeNotFound, Field: "type",
			Message: fmt.Sprintf("there is no task type %q; task_types.put makes one, and task_types.list shows those there are", code),
		}
	}
	return t, nil
}

// delete removes a type that has no tasks, no other plans, because they would have no agents,
// and no callbacks to deliver, because its secret is deleted with it.
func (tts taskTypes) delete(r *request) error {
	code, err := r.typeCode()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		if _, err := tts.itself(ctx, code); err != nil {
			return nil, err
		}
		if err := tts.unused(ctx, code); err != nil {
			return nil, err
		}
		s, err := ask[schema.Station](ctx, tts.front, 0, command.GetStation{Station: code})
		if err != nil {
			return nil, err
		}
		deletions, err := changeStation[schema.StationDeleted](ctx, tts.front, command.DeleteStation{Station: code, TaskType: true})
		switch {
		case err == nil:
			err = tts.forgetSecret(ctx, code)
		case errors.Is(err, schema.CodeConflict):
			// A task came in between; partitions without one have deleted the type.
			_, back := changeStation[schema.StationPut](ctx, tts.front, command.PutStation{Station: &s})
			err = cmp.Or(back, err)
		}
		d := last(deletions)
		return schema.TaskTypeDeleted{Code: d.Station, Deleted: d.Deleted}, err
	})
}

// typeCode reads a request that has no fields but the code of a task type.
func (r *request) typeCode() (string, error) {
	var q schema.TaskTypeName
	if err := r.decode(&q); err != nil {
		return "", err
	}
	if err := schema.CheckStation(q.Code); err != nil {
		return "", r.invalid("code", "code %v", err)
	}
	return q.Code, nil
}

// list answers with the task types by code.
func (tts taskTypes) list(r *request) error {
	var q schema.ListTaskTypes
	if err := r.decode(&q); err != nil {
		return err
	}
	after, limit, err := paging(r, q.Limit, q.Cursor, parseStationCursor)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		return tts.front.stationPage(ctx, newPage(r.enc, "task_types", limit), after, func(s *schema.Station) any {
			if t, ok := task.TypeOf(s); ok && (q.Category == "" || t.Category == q.Category) {
				return t
			}
			return nil
		})
	})
}
