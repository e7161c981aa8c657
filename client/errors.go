package client

import (
	"errors"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Errors by their codes. errors.Is finds them in each error that a method returns, however it
// is wrapped.
var (
	// ErrInvalid reports that the request is wrong. Each error that is [ErrInvalidPlan] is this
	// one, too.
	ErrInvalid error = schema.CodeInvalidRequest
	// ErrInvalidPlan reports that the plan in the request is wrong.
	ErrInvalidPlan error = schema.CodeInvalidPlan
	// ErrNotFound reports that there is no such plan, run, station, task, queue or secret.
	ErrNotFound error = schema.CodeNotFound
	// ErrAlreadyExists reports that a plan or task of that name exists, and OnConflict is error.
	ErrAlreadyExists error = schema.CodeAlreadyExists
	// ErrConflict reports that the state or the revision does not allow the request.
	ErrConflict error = schema.CodeConflict
	// ErrTooLarge reports that the request is larger than the NATS server, or the scheduler,
	// accepts.
	ErrTooLarge error = schema.CodeTooLarge
	// ErrQuotaExceeded reports that the tenant has as many plans, or made as many requests in
	// this second, as it may. See [Options.Patient].
	ErrQuotaExceeded error = schema.CodeQuotaExceeded
	// ErrUnavailable reports that no leader answered in time. It is not known whether the request
	// was carried out.
	ErrUnavailable error = schema.CodeUnavailable
	// ErrInternal reports a defect in the scheduler.
	ErrInternal error = schema.CodeInternal
)

// ErrClosed is returned by requests of a client after [Client.Close].
var ErrClosed = errors.New("the client is closed")
