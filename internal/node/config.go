package node

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/gateway"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Config is the whole configuration of a node. Start from [Default], because a zero field
// is not always the default.
type Config struct {
	// Node names this process in leases and logs; it passes schema.CheckID and is
	// unique among the nodes of an installation. Empty: made of the host's name
	// and a random part.
	Node string

	// Version is the release, as semantic versioning writes it; it is shown beside the
	// services. Empty: 0.0.0.
	Version string

	// DataDir is the folder of the embedded nats-server. One process uses it at a time; it
	// is created when it is missing.
	DataDir string
	// NATSListen is host:port of the embedded nats-server. Port 0 or -1 picks a free one;
	// empty: the server is reached in this process only, and is in no cluster.
	NATSListen string
	// NATSUsersFile names a file of lines "name password role", see [roles.ReadUsers]: the
	// users of the embedded nats-server from other processes. It is read once, and all
	// nodes of a cluster have the same. Empty: every client that reaches NATSListen may do
	// everything.
	NATSUsersFile string
	// NATSListenTLS is the server's certificate for clients of other processes.
	NATSListenTLS TLS
	// NATSMaxConnections is the largest number of connections to the embedded nats-server,
	// this process's own among them, and HTTPMaxConnections that of HTTP. Zero: a quarter
	// of the open files that the process may have, and at most 16,384.
	NATSMaxConnections, HTTPMaxConnections int
	// Sync is the longest time that the embedded nats-server leaves a write unsynced, and
	// so the time of which a power cut may lose the writes. Zero: every write is on disk
	// before it is acknowledged.
	Sync time.Duration

	// Cluster has the embedded nats-server form a cluster with those of other nodes.
	// The zero value: it is alone.
	Cluster Cluster

	// NATS is an external nats-server, in place of the embedded one.
	NATS External

	// HTTPListen is host:port of REST, /healthz, /readyz and /metrics. Port 0 picks a free one;
	// empty: no HTTP.
	HTTPListen string
	// HTTPTokenFile names a file of lines "token role [name [stations]]", the users of REST, see
	// gateway.ReadTokens; it is read again when it changes, see [Node.ReadTokens]. Empty: only
	// clients on this machine may use REST.
	HTTPTokenFile string
	// HTTPReadOnly has REST take no changes, because every token is a reader's, and so is this
	// machine.
	HTTPReadOnly bool
	// HTTPOrigins are the origins of pages that may use REST from a browser, see
	// gateway.ReadOrigins. Empty: none.
	HTTPOrigins []string
	// HTTPBasePath begins the path of REST and of the console, such as /stationmaster where a
	// proxy passes on only that; no slash at its end. Empty: nothing.
	HTTPBasePath string

	// Insecure lets NATSListen, HTTPListen and Cluster.Listen be addresses that other
	// machines reach, without NATSUsersFile, HTTPTokenFile and Cluster.KeyFile. False: such
	// a configuration is an error.
	Insecure bool

	// SecretsKeyFile names a file of keys, one a line, each 32 bytes in hex or base64: the
	// secrets are encrypted with the first, the others decrypt those that
	// were stored before. Empty: secrets are stored in plain text.
	SecretsKeyFile string

	// Prefix begins the name of every subject, stream and bucket, so that several
	// installations can share a nats-server. Empty: none.
	Prefix string
	// Partitions is the number of independent shards of an installation, each with
	// a leader of its own: 1 to 64, fixed when the installation is made.
	Partitions int
	// Replicas is the number of replicas of every stream and bucket when they are created.
	// Zero: 1, or 3 in a cluster of three or more servers.
	Replicas int

	// Lease is the time without a renewal after which another node takes over from a
	// leader. At least 500 ms.
	Lease time.Duration
	// Checkpoint is the time that a record is unchanged before it is written to the bucket.
	Checkpoint time.Duration
	// AcceptRollback lets the node go on when the journal is older than the node has seen
	// it, because an older disk was restored under it or the stream was created anew.
	// False: the node ends.
	AcceptRollback bool
	// MisfireGrace is how late an occurrence may run after a time without a scheduler, with
	// any catch_up of its plan.
	MisfireGrace time.Duration
	// ExecTimeout and StartTimeout apply where neither plan nor station gives a timeout.
	// Zero: none.
	ExecTimeout, StartTimeout time.Duration

	// ResultsAge, ResultsPerPlan and ResultsBytes bound the results that are kept; the
	// oldest go first. Zero: 168 hours, 100 and 8 GiB when the stream is created; an
	// existing stream keeps its own bound.
	ResultsAge     time.Duration
	ResultsPerPlan int64
	ResultsBytes   int64
	// ResultsForm is the wanted form of the stream of results: "own", or "public", the only
	// one that older releases know. A stream in the other form is converted as soon as
	// every node can write the wanted one.
	ResultsForm string

	// HTTPWorker is the built-in worker of station http.
	HTTPWorker HTTPWorker
	// QueueBatch is the most items of a merge queue that are delivered to its service in
	// one call. It applies to queues that begin with a push to this node.
	QueueBatch int

	// TenantPlans is the most plans that a tenant may have at a time, in the installation,
	// and TenantRate the most requests a second that it may make of this node. A tenant is
	// a tenant_id; without one, a caller; all requests that name neither are one tenant
	// together. Zero: any number. All nodes have the same.
	TenantPlans int64
	TenantRate  int

	// Log receives the log of the node. Nil: slog.Default().
	Log *slog.Logger

	// Probe is scheduler.Config.Probe, for tests that plant panics. Nil: nothing is called.
	// No flag sets it.
	Probe func(at string, plan schema.PlanName)
}

// External is the address of an external nats-server and the credentials for it. The zero
// value means the embedded one.
type External struct {
	// URL is one or several nats:// or tls:// addresses, joined by commas.
	URL string
	// Creds is a file with a user's JWT and seed; NKey one with a seed alone. Empty:
	// neither.
	Creds, NKey string
	// InboxPrefix begins the subjects of answers, so that permissions can keep the
	// answers of one user from another; no dot at its end. Empty: "_INBOX".
	InboxPrefix string
	// TLSCA is a file with the certificates that sign the server's; TLSCert and TLSKey are
	// the client's own, for a server that asks for one. Empty: the system's, and none.
	TLSCA, TLSCert, TLSKey string
}

// Default is the configuration of a node without any flag.
func Default() Config {
	return Config{
		DataDir:      "./data",
		NATSListen:   "127.0.0.1:4222",
		HTTPListen:   "127.0.0.1:8080",
		Partitions:   1,
		Lease:        1500 * time.Millisecond,
		Checkpoint:   500 * time.Millisecond,
		MisfireGrace: 10 * time.Second,
		ResultsForm:  broker.ResultsOwn.String(),
		ExecTimeout:  60 * time.Second,
		StartTimeout: 30 * time.Second,
		HTTPWorker:   HTTPWorker{Concurrency: 256, LongestCall: defaultLongestCall},
		QueueBatch:   command.DefaultHanded,
	}
}

// maxPartitions is a number of streams that one cluster can carry, because each partition
// has a journal and a bucket, and so two Raft groups.
const maxPartitions = 64

// leastResults is the least results-bytes, because less would lose a run before its plan is
// read again.
const leastResults = 1 << 20

// mostBatch is the most items that a plan may hand over at a time.
const mostBatch = 10_000

// shortestLease leaves room for a few renewals over a slow network.
const shortestLease = 500 * time.Millisecond

// Validate returns every mistake in c, each with the change that mends it; nil when there
// is none.
func (c *Config) Validate() error {
	var errs []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	if c.Node != "" {
		err := schema.CheckID(c.Node)
		wrong(err != nil, "--node %q %v", c.Node, err)
	}
	if c.Prefix != "" {
		err := schema.CheckPrefix(c.Prefix)
		wrong(err != nil, "--prefix %q %v", c.Prefix, err)
	}
	embedded := c.NATS.URL == ""
	wrong(embedded && c.DataDir == "", "--data-dir: name a folder for the embedded nats-server")
	wrong(c.Partitions < 1 || c.Partitions > maxPartitions, "--partitions %d: give 1 to %d", c.Partitions, maxPartitions)
	wrong(c.Replicas < 0 || c.Replicas > 5, "--replicas %d: give 1 to 5, or 0 for the default", c.Replicas)
	wrong(embedded && c.Replicas > max(c.Cluster.size(), 1),
		"--replicas %d: the embedded nats-server knows of %d; name the others with --cluster-routes, or give --nats-url of a cluster",
		c.Replicas, max(c.Cluster.size(), 1))
	errs = append(errs, c.Cluster.validate(embedded)...)
	// nats-server connects to no other before it listens for clients.
	wrong(embedded && c.Cluster.Name != "" && c.NATSListen == "",
		"--nats-listen: a node of a cluster needs one; give host:port, 127.0.0.1:0 if only this machine is to reach it")
	errs = append(errs, c.validateListeners(embedded)...)
	wrong(embedded && c.NATS != External{}, "credentials and TLS are for an external nats-server: give --nats-url, too")
	if err := c.NATS.check(); err != nil {
		errs = append(errs, err)
	}
	wrong(c.Lease < shortestLease, "--lease %v: give at least %v", c.Lease, shortestLease)
	wrong(c.Checkpoint <= 0, "--checkpoint %v: give more than 0", c.Checkpoint)
	for _, d := range []struct {
		name string
		is   time.Duration
	}{
		{"sync", c.Sync}, {"misfire-grace", c.MisfireGrace}, {"results-age", c.ResultsAge},
		{"plan-exec-timeout", c.ExecTimeout}, {"plan-start-timeout", c.StartTimeout},
	} {
		wrong(d.is < 0, "--%s %v: it must not be negative", d.name, d.is)
	}
	wrong(c.QueueBatch < 1 || c.QueueBatch > mostBatch, "--queue-batch %d: give 1 to %d", c.QueueBatch, mostBatch)
	wrong(c.TenantPlans < 0, "--tenant-plans %d: give a number above 0, or 0 for any number", c.TenantPlans)
	wrong(c.TenantRate < 0, "--tenant-rate %d: give requests a second, or 0 for any number", c.TenantRate)
	wrong(c.ResultsPerPlan < 0 || c.ResultsBytes < 0, "--results-per-plan and --results-bytes must not be negative")
	wrong(c.ResultsBytes > 0 && c.ResultsBytes < leastResults,
		"--results-bytes %d: a number without a unit is bytes, and less than 1MiB keeps no runs; give a unit, such as 8GiB", c.ResultsBytes)
	_, err := broker.ParseResultsForm(c.ResultsForm)
	wrong(err != nil, "--results-form %q: give own or public", c.ResultsForm)
	wrong(!embedded && c.NATSMaxConnections != 0, "--nats-max-connections is for the embedded nats-server: leave out --nats-url")
	for _, bound := range []struct {
		name string
		is   int
	}{{"nats-max-connections", c.NATSMaxConnections}, {"http-max-connections", c.HTTPMaxConnections}} {
		files := openFiles()
		wrong(bound.is < 0, "--%s %d: give a number above 0, or 0 for the default", bound.name, bound.is)
		wrong(files > 0 && bound.is > files/2, "--%s %d: this process may have %d open files, and the stores need half of them; raise that (ulimit -n, LimitNOFILE) or give less",
			bound.name, bound.is, files)
	}
	wrong(!isAddress(c.NATSListen), "--nats-listen %q: give host:port", c.NATSListen)
	wrong(!isAddress(c.HTTPListen), "--http-listen %q: give host:port", c.HTTPListen)
	if err := c.HTTPWorker.validate(); err != nil {
		errs = append(errs, err)
	}
	_, err = gateway.ReadOrigins(c.HTTPOrigins)
	wrong(err != nil, "--http-origins: %v", err)
	wrong(len(c.HTTPOrigins) > 0 && c.HTTPListen == "", "--http-origins is for REST: give --http-listen, too")
	wrong(!isBasePath(c.HTTPBasePath), "--http-base-path %q: give parts of letters, digits, - _ . and ~, each behind a slash and not api or ui, such as /stationmaster", c.HTTPBasePath)
	wrong(c.HTTPTokenFile != "" && c.HTTPListen == "", "--http-token-file is for REST: give --http-listen, too")
	return errors.Join(errs...)
}

func isAddress(listen string) bool {
	_, _, err := net.SplitHostPort(listen)
	return listen == "" || err == nil
}

var basePaths = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

// isBasePath reports whether path may begin all paths. It would hide those of REST and of the
// console when it began like them.
func isBasePath(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return basePaths.MatchString(path) && first != "api" && first != "ui"
}

// mostConnections is the default for a listener's connections, if the limit of open files
// allows it.
const mostConnections = 16_384

// connections is the number of connections that a listener may have; it leaves open files
// for the stores.
func connections(set int) int {
	if set != 0 {
		return set
	}
	if files := openFiles(); files > 0 {
		return max(min(files/4, mostConnections), 1)
	}
	return mostConnections
}

// strangers is the number of connections that the port of a cluster may have without the
// cluster's password, and as many again from the addresses of its servers. Each may take
// three files: its own, and two on the way to nats-server. So all of them have a tenth of
// the open files.
func strangers() int {
	const least, most = 16, 256
	if files := openFiles(); files > 0 {
		return max(min(files/64, most), least)
	}
	return most
}

// misfireGrace is MisfireGrace as scheduler.Config takes it, where zero means a default.
func (c *Config) misfireGrace() time.Duration {
	if c.MisfireGrace == 0 {
		return -1
	}
	return c.MisfireGrace
}

// withDefaults fills in the fields without a constant default.
func (c Config) withDefaults() (Config, error) {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Replicas == 0 && c.Cluster.size() >= 3 {
		c.Replicas = 3
	}
	if c.HTTPWorker.LongestCall == 0 {
		c.HTTPWorker.LongestCall = defaultLongestCall
	}
	if c.Node != "" {
		return c, nil
	}
	c.Node = hostName() + "-" + strings.ToLower(rand.Text()[:6])
	var err error
	if c.Cluster.Name != "" {
		c.Node, err = keepName(c.DataDir, c.Node)
	}
	return c, err
}

// hostName is the host's name, reduced to characters that a node's name may have.
func hostName() string {
	host, err := os.Hostname()
	if err != nil {
		return "node"
	}
	host, _, _ = strings.Cut(host, ".")
	if schema.CheckID(host) != nil || len(host) > 64 {
		return "node"
	}
	return host
}
