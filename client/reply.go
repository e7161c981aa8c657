package client

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/stationmaster-io/stationmaster/schema"
)

// ErrUnheard says that a subject is none on which executions of this installation are
// answered.
var ErrUnheard = errors.New("nobody waits for this reply")

// ReplyName tells which execution is answered on a subject; false when none is.
func (c *Client) ReplyName(subject string) (schema.ReplyName, bool) {
	// How many partitions there are, only the scheduler has to know.
	return schema.Space{Prefix: c.space.Prefix, Partitions: math.MaxInt32}.ParseReply(subject)
}

// Reply answers an execution in the name of its worker, on the reply subject that the
// worker was given. It returns when what was said is durable; an Ack that is not
// Accepted came too late. An error of code unavailable means that nobody knows.
func (c *Client) Reply(ctx context.Context, subject string, reply schema.Reply) (*schema.Ack, error) {
	if _, ours := c.ReplyName(subject); !ours {
		return nil, ErrUnheard
	}
	ack := new(schema.Ack)
	if err := c.do(ctx, subject, reply, ack); err != nil {
		return nil, fmt.Errorf("reply: %w", err) // without the subject: to know it is the right to answer
	}
	return ack, nil
}
