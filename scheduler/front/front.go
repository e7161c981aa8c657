package front

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Leader takes commands for the partitions. done is called exactly once, from any goroutine,
// with the answer that [command.Command] names, which is durable, or an error, best a
// *schema.Error. Ask does not wait for done. It blocks while a leader has as many commands as
// it takes, but not if the leader takes none. Commands of one partition take effect in the
// order in which they were asked.
type Leader interface {
	Ask(partition int, c command.Command, done func(answer any, err error))
}

// Config has the parameters and the dependencies of a front.
type Config struct {
	// Node names this node in the metadata of the services; empty leaves it out.
	Node string
	// Version is the release, as semantic versioning writes it. Empty means 0.0.0.
	Version string

	Space  schema.Space
	Leader Leader
	// Store is where kept results are read; nothing is written.
	Store *broker.Store
	// Secrets sign callbacks; the services write them and never show them.
	Secrets *broker.Secrets

	// QueueBatch is how many items of a queue a service is sent at a time, at most. Zero:
	// command.DefaultHanded.
	QueueBatch int
	// LongestCall is the longest timeout_seconds that a plan of station http may have. Zero:
	// the maximum of schema.
	LongestCall time.Duration

	// TenantRate is how many requests a second a tenant may make of this node. Zero: any
	// number.
	TenantRate int

	// Now and Entropy make plan ids. nil means the clock, and crypto/rand.
	Now     func() time.Time
	Entropy io.Reader

	// Metrics count the requests. Nil: they are not counted.
	Metrics *metrics.Set

	// Log gets defects of the program, never errors of a request. nil means slog.Default().
	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Version = cmp.Or(c.Version, "0.0.0")
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Entropy == nil {
		c.Entropy = rand.Reader
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Metrics == nil {
		c.Metrics = metrics.New(c.Version)
	}
	return c
}

const (
	// drainTimeout is how long Stop waits for requests under way. A leader answers within
	// three seconds even when there is none; a command to another process that took it and
	// died is answered only by its timeout, which is longer.
	drainTimeout = 5 * time.Second
	// asyncTimeout bounds an async handler, because its client has given up by then.
	asyncTimeout = 10 * time.Second
	// maxRunning bounds the async handlers of a kind that read plans at a time, because each
	// holds a page and a slice of the leader's, some 768 KiB.
	maxRunning = 64
	// maxWaiting is how many more wait until one of those has ended.
	maxWaiting = 1000
	// maxPending and maxPendingBytes bound the requests of one endpoint between the connection
	// and its backlog. There are few at any time, because the subscription does not wait. NATS
	// drops requests beyond that and reports it to the connection's error handler.
	maxPending      = 100_000
	maxPendingBytes = 32 << 20
	// maxListReads bounds the slices of lists that a leader is asked for at a time, because a
	// due execution waits for all of those, some milliseconds.
	maxListReads = 2
	// maxHistoryReads bounds the pages of history that are searched at a time, because each
	// may read results for as long as it may take, and leave little of a processor to others.
	maxHistoryReads = 2
)

var (
	errStopping = &schema.Error{
		Code: schema.CodeUnavailable, Message: "this node is stopping; send the request again and another one will take it",
	}
	errBusy = &schema.Error{
		Code: schema.CodeUnavailable, Message: "too many requests are under way on this node; send it again later, or send fewer at a time",
	}
	errSlow = &schema.Error{
		Code: schema.CodeUnavailable, Message: "the scheduler did not answer in time; whether anything was done is unknown",
	}
)

// A Front serves requests until it is stopped.
type Front struct {
	config   Config
	nc       *nats.Conn
	services []micro.Service

	sides     [kinds]*side
	endpoints []*endpoint
	serving   sync.WaitGroup // one for each endpoint

	// running ends when the front abandons the requests under way.
	running  context.Context
	abandon  context.CancelCauseFunc
	handlers sync.WaitGroup
	// leaving ends when Stop begins, so that claims stop waiting for work.
	leaving  context.Context
	leave    context.CancelFunc
	places   *places // of the claims that wait
	inFlight inFlight
	// lastPartition counts claims, so that each begins at another partition.
	lastPartition atomic.Uint32

	listReads    chan struct{}           // one for each slice of a list that is under way
	historyReads chan struct{}           // one for each page of history under way
	unwell       readIndex[unwellResult] // of the results that did not go well
	ended        readIndex[endedRun]

	rates *rates // of requests, by tenant

	// stationLock is held while a station is changed.
	stationLock chan struct{}

	ids sync.Mutex // guards config.Entropy

	incidents *incident.Reporter
	logging   rate.Sometimes
	unlogged  atomic.Int64
}

// Serve answers requests on nc until Stop. Subjects have the prefix of c.Space;
// the names of the services have not.
func Serve(nc *nats.Conn, c Config) (*Front, error) {
	f := &Front{
		config:       c.withDefaults(),
		nc:           nc,
		listReads:    make(chan struct{}, maxListReads),
		historyReads: make(chan struct{}, maxHistoryReads),
		stationLock:  make(chan struct{}, 1),
		unwell:       readIndex[unwellResult]{most: mostUnwell},
		ended:        readIndex[endedRun]{most: mostEnded},
		logging:      rate.Sometimes{Interval: time.Second},
	}
	f.sides = [kinds]*side{
		changing: newSide(maxChanging, maxChangingBytes),
		reading:  newSide(maxReading, maxReadingBytes),
	}
	f.incidents = incident.New(f.config.Log, f.config.Metrics)
	f.rates = newRates(f.config.TenantRate)
	f.places = newPlaces(maxClaims, f.config.Metrics.Claims, f.config.Log)
	f.leaving, f.leave = context.WithCancel(context.Background())
	f.running, f.abandon = context.WithCancelCause(context.Background())
	if err := f.subscribeNoResponders(); err != nil {
		return nil, errors.Join(fmt.Errorf("serve: %w", err), f.Stop())
	}
	for _, s := range services {
		if err := f.add(s); err != nil {
			return nil, errors.Join(fmt.Errorf("serve %s: %w", s.name, err), f.Stop())
		}
	}
	// After the flush, the server has the subscriptions.
	if err := nc.FlushTimeout(drainTimeout); err != nil {
		return nil, errors.Join(fmt.Errorf("serve: %w", err), f.Stop())
	}
	return f, nil
}

// add registers a service and its endpoints.
func (f *Front) add(s service) error {
	metadata := map[string]string{"version": f.config.Version}
	if f.config.Node != "" {
		metadata["node"] = f.config.Node
	}
	refusals := map[string]*refused{}
	for _, v := range s.verbs {
		refusals[v.name] = new(refused)
	}
	served, err := micro.AddService(f.nc, micro.Config{
		Name:         s.name,
		Version:      f.config.Version,
		Description:  s.description,
		Metadata:     metadata,
		StatsHandler: func(e *micro.Endpoint) any { return refusals[e.Name].stats() },
	})
	if err != nil {
		return err
	}
	f.services = append(f.services, served)
	for _, v := range s.verbs {
		e := &endpoint{
			verb: v, subject: f.config.Space.Service(s.name, v.name), invalid: s.invalid, dry: slices.Contains(s.foreseen, v.name),
			refused: refusals[v.name], meter: f.config.Metrics.Endpoint(s.name, v.name),
		}
		e.side = f.sides[v.kind]
		e.backlog = e.side.newBacklog()
		if v.name == s.below {
			e.subject += ".>"
		}
		f.endpoints = append(f.endpoints, e)
		f.serving.Go(func() { f.serve(e) })
		handler := micro.HandlerFunc(func(m micro.Request) { f.handle(e, m) })
		err := served.AddEndpoint(v.name, handler, micro.WithEndpointSubject(e.subject),
			micro.WithEndpointMetadata(abouts[s.name+"."+v.name].metadata()),
			micro.WithEndpointPendingLimits(maxPending, maxPendingBytes))
		if err != nil {
			return err
		}
	}
	return nil
}

// Stop takes no more requests and waits until those under way are answered, but not much
// longer than a leader may take. Requests that are left then are answered by a leader, at the
// latest when it stops (config.Leader must do so), or with unavailable, as is any request that
// NATS delivers after that. It may be called again.
func (f *Front) Stop() error {
	f.leave()
	var errs []error
	for _, s := range f.services {
		if err := s.Stop(); err != nil {
			errs = append(errs, fmt.Errorf("stop service %s: %w", s.Info().Name, err))
		}
	}
	// After a round trip, the server has sent us all that it will.
	if !f.nc.IsClosed() {
		if err := f.nc.FlushTimeout(drainTimeout); err != nil {
			errs = append(errs, fmt.Errorf("drain requests: %w", err))
		}
	}
	left, patient := 0, time.Now().Add(drainTimeout)
	for _, s := range f.sides {
		left += s.gate.close(time.Until(patient))
	}
	if left > 0 {
		f.config.Log.Warn("stopping with requests under way, which are answered as undecided", "requests", left)
	}
	f.abandon(errStopping)
	for _, e := range f.endpoints {
		e.backlog.close()
	}
	f.serving.Wait()
	f.handlers.Wait()
	f.inFlight.close()
	return errors.Join(errs...)
}

// newID makes a plan id. It is made here, before a leader is asked, so that the same plan can
// be asked for again when the answer is lost.
func (f *Front) newID() string {
	f.ids.Lock()
	defer f.ids.Unlock()
	return schema.NewIDAt(f.config.Now(), f.config.Entropy)
}
