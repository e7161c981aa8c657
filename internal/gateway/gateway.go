package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/internal/token"
)

// Config of a gateway. The zero value of what is not said to be required is usable.
type Config struct {
	// Client asks the services. Required.
	Client *client.Client

	// Tokens are who may ask; see [ReadTokens]. Nil: only who connects from this very
	// machine may, without a token and as an operator.
	Tokens *Tokens

	// Origins are those whose pages may ask; see [ReadOrigins]. Nil: none.
	Origins *Origins

	// Callbacks opens the tokens with which asynchronous calls are answered. Nil: no
	// callback is taken.
	Callbacks Callbacks

	// Version is the release, for the OpenAPI document. Empty: 0.0.0.
	Version string
	// PublicURL is where clients reach this gateway, for the OpenAPI document. Empty:
	// wherever they got it from.
	PublicURL string

	// MaxRequests bounds the requests that are worked on at a time, those with a token
	// of their own (callbacks) apart. Zero: 256. One that comes beyond them waits a
	// second for its turn.
	MaxRequests int
	// MaxStreams bounds the live streams. Zero: 256. One that comes beyond them ends the
	// oldest of the token that has the most.
	MaxStreams int
	// Heartbeat is how often a live stream says something when nothing happens. Zero:
	// 15 s.
	Heartbeat time.Duration

	// Metrics count the requests. Nil: nobody looks.
	Metrics *metrics.API
	// Incidents tell of panics. Nil: they are logged, and nobody counts them.
	Incidents *incident.Reporter

	// Now tells the time. Nil: time.Now.
	Now func() time.Time
	// Log gets what went wrong here, and each request at level debug. Nil:
	// slog.Default().
	Log *slog.Logger
}

// Callbacks opens callback tokens; [token.Key] is one.
type Callbacks interface {
	// Open returns the reply subject of the execution that a token was made for, the
	// error [token.ErrExpired] when its time has passed, or another.
	Open(token string, now time.Time) (reply string, err error)
}

var _ Callbacks = token.Key{}

// A Gateway is an http.Handler. It starts goroutines only while there are live
// streams; Close ends them.
type Gateway struct {
	config Config
	client *client.Client
	jobs   *cronjob.Jobs
	live   *hub
	mux    *http.ServeMux
	served *slots // of requests with a token
	open   *slots // of those that need none
	spec   document

	bodies, answers *semaphore.Weighted // bytes that are held
}

// New makes a gateway. Whoever makes one calls [Gateway.Close].
func New(c Config) *Gateway {
	if c.Version == "" {
		c.Version = "0.0.0"
	}
	if c.MaxRequests == 0 {
		c.MaxRequests = 256
	}
	if c.MaxStreams == 0 {
		c.MaxStreams = 256
	}
	if c.Heartbeat == 0 {
		c.Heartbeat = 15 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Origins == nil {
		c.Origins, _ = ReadOrigins(nil) // none is wrong
	}
	if c.Metrics == nil {
		c.Metrics = metrics.New(c.Version).API
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Incidents == nil {
		c.Incidents = incident.New(c.Log, metrics.New(c.Version))
	}
	g := &Gateway{
		config: c, client: c.Client, jobs: cronjob.New(c.Client, c.Now),
		live:   newHub(c.Client, c.MaxStreams, c.Incidents, c.Log),
		served: newSlots(c.MaxRequests, 0),
		open:   newSlots(openSlots, openSlotsEach),
		spec:   newDocument(c.Version, c.PublicURL),

		bodies:  semaphore.NewWeighted(maxBodies),
		answers: semaphore.NewWeighted(maxAnswers),
	}
	g.mux = g.routed()
	return g
}

// Close ends the live streams, each with a word to its reader, and takes no new ones.
// Other requests are the HTTP server's to wait for.
func (g *Gateway) Close(ctx context.Context) error { return g.live.close(ctx) }
