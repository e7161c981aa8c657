package client

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/stationmaster-io/stationmaster/schema"
)

// ErrNoExecution is returned for a subject on which no execution of this installation is
// answered.
var ErrNoExecution = errors.New("no execution is answered on this subject")

// An Execution is a handle of one execution, by the reply subject that its worker was
// given. The subject is a secret, because it is all that answering the execution takes.
type Execution struct {
	c       *Client
	subject string
}

// Execution returns the handle of an execution by its reply subject.
func (c *Client) Execution(replySubject string) Execution { return Execution{c, replySubject} }

// Name returns the name of the execution; false when the subject is not a reply subject of
// this installation.
func (x Execution) Name() (schema.ReplyName, bool) {
	// Only the scheduler has to know the number of partitions.
	return schema.Space{Prefix: x.c.space.Prefix, Partitions: math.MaxInt32}.ParseReply(x.subject)
}

// Reply answers the execution in the name of its worker, and returns when the reply is
// durable. An Ack that is not Accepted came too late. After [ErrUnavailable] it is not known
// whether the reply was taken.
func (x Execution) Reply(ctx context.Context, reply schema.Reply) (*schema.Ack, error) {
	if _, ours := x.Name(); !ours {
		return nil, ErrNoExecution
	}
	ack := new(schema.Ack)
	if err := x.c.do(ctx, x.subject, reply, ack); err != nil {
		return nil, fmt.Errorf("reply: %w", err) // without the subject, because it is a secret
	}
	return ack, nil
}
