package gateway

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The HTTP form of merge queues has the merge key and the target in the path, and the item as the
// body.

const (
	httpQueuePrefix = "/v3/queue/"
	httpQueue       = httpQueuePrefix + "{merge_key}/{method}/{service}"
)

// queuePushed answers a POST of the form, queueCleared a DELETE.
type queuePushed struct {
	Queue  string `json:"queue"`
	Length int64  `json:"length"`
	OnTime int64  `json:"ontime"`
}

type queueCleared struct {
	Queue   string `json:"queue"`
	Deleted int64  `json:"deleted"`
}

// address reads the path of the form.
func (q *request) address() (queue.Address, error) {
	return queue.ParseAddress(q.PathValue("merge_key"), q.PathValue("method"), q.PathValue("service"))
}

// addressAsItIs refuses a path of the form that has two slashes in a row, most often
// because its service is an address and not base64: the mux would redirect it to another
// address, which no client follows with its body.
func addressAsItIs(r *http.Request) error {
	path := r.URL.EscapedPath()
	if !strings.HasPrefix(path, httpQueuePrefix) || !strings.Contains(path, "//") {
		return nil
	}
	return invalid("service", "stands in the path in base64, such as aHR0cHM6Ly9leGFtcGxlLm9yZy9ob29r for https://example.org/hook; this path has // in it, which base64 writes as %%2F%%2F")
}

func pushToQueue(g *Gateway, q *request) (answer, error) {
	to, err := q.address()
	if err != nil {
		return answer{}, err
	}
	push := schema.QueuePush{
		Key: to.Key, Task: q.body, Method: to.Method, Service: to.Service,
		Update: schema.Update(q.query.Get("update")),
	}
	if q.query.Has("ontime") {
		text := q.query.Get("ontime")
		if push.OnTime, err = unixSeconds("ontime", text); err != nil {
			return answer{}, err
		}
	}
	pushed, err := g.client.Queue(push.Key).Push(q.Context(), push)
	if err != nil {
		return answer{}, ofBody(err)
	}
	out := queuePushed{Queue: pushed.Key, Length: pushed.Length, OnTime: pushed.OnTime}
	if out.OnTime == 0 {
		out.OnTime = g.config.Now().Unix()
	}
	return answer{body: out}, nil
}

// unixSeconds reads a parameter that is a moment, within the years that wire writes.
func unixSeconds(name, text string) (time.Time, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	at, ok := wire.Trust(wire.JSON, strconv.AppendInt(nil, n, 10)).Time()
	if err != nil || !ok {
		return at, invalid(name, "is %q; it takes whole Unix seconds, such as 1366614150", text)
	}
	return at, nil
}

// ofBody renames the task of a push to its name in the form: the body.
func ofBody(err error) error {
	var e *schema.Error
	if !errors.As(err, &e) || e.Field != "task" {
		return err
	}
	named := *e
	named.Field = "body"
	return &named
}

func clearQueue(g *Gateway, q *request) (answer, error) {
	of, err := q.address()
	if err != nil {
		return answer{}, err
	}
	deleted, err := g.client.Queue(of.Key).Delete(q.Context())
	if err != nil {
		return answer{}, err
	}
	return answer{body: queueCleared{Queue: deleted.Key, Deleted: deleted.Deleted}}, nil
}
