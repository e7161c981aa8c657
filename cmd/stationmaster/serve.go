package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

// stopWithin bounds an orderly stop; writing out a large store takes seconds.
const stopWithin = 30 * time.Second

// A setup is the flags of serve, and of other commands that start a node.
type setup struct {
	node      node.Config
	logFormat string
	logLevel  string
	unused    []string // flags without a meaning beside others
}

func newServe() *cobra.Command {
	s := setup{node: node.Default(), logLevel: "info"}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the scheduler, with an embedded nats-server or against another",
		Long: `Run a scheduler node until SIGTERM or SIGINT; then it takes no new requests, gives
the lease back and closes its store. On an empty folder it works without any flag.
When it is ready it logs one line with msg=ready and its addresses, on stderr.

With --nats-url it uses that NATS server (2.14 or newer, with JetStream) and stores
nothing itself.`,
		Example: `  stationmaster serve
  stationmaster serve --data-dir /var/lib/stationmaster --nats-listen 0.0.0.0:4222 \
      --nats-users-file users    # lines such as "worker-1 PASSWORD worker mail"
  stationmaster serve --nats-url nats://nats-1:4222,nats://nats-2:4222 --replicas 3
  stationmaster serve --node a --cluster-name sm --cluster-listen 0.0.0.0:6222 \
      --cluster-routes nats://a:6222,nats://b:6222,nats://c:6222 \
      --cluster-key-file cluster.key    # on a; likewise on b and c
  stationmaster serve --config stationmaster.toml    # data-dir = "/var/lib/…"`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := aboveZero(cmd.Flags())
			if err != nil {
				return err
			}
			if s.unused, err = oneServer(cmd.Flags()); err != nil {
				return err
			}
			err = serve(cmd.Context(), &s, cmd.ErrOrStderr())
			if errors.Is(err, nats.ErrNoServers) {
				err = fmt.Errorf("%w; %s names that server: without it serve brings one of its own", err, origin(cmd.Flags().Lookup("nats-url")))
			}
			return err
		},
	}
	s.flags(cmd.Flags())
	return cmd
}

// aboveZero refuses a zero where an absent flag means something else.
func aboveZero(fs *pflag.FlagSet) error {
	var errs []error
	for _, name := range []string{"results-age", "results-per-plan", "results-bytes", "http-longest-call"} {
		if f := fs.Lookup(name); f.Changed && (f.Value.String() == "0" || f.Value.String() == "0s") {
			errs = append(errs, usagef("%s is 0: give more, or leave it out for the default", origin(f)))
		}
	}
	return errors.Join(errs...)
}

// ofEmbedded are the flags of the embedded nats-server.
var ofEmbedded = []string{
	"data-dir", "nats-listen", "nats-users-file", "nats-listen-tls-cert", "nats-listen-tls-key", "nats-listen-tls-ca",
	"nats-max-connections", "sync", "cluster-name", "cluster-listen", "cluster-routes", "cluster-key-file",
	"cluster-tls-cert", "cluster-tls-key", "cluster-tls-ca",
}

// oneServer refuses flags for the embedded nats-server on the command line when the address
// of another one comes from elsewhere, because with an address that was exported for the
// commands they would start a node of that installation instead of one with a server of its
// own. If one place gives both, the address counts, and unused names the flags that have no
// meaning.
func oneServer(fs *pflag.FlagSet) (unused []string, err error) {
	url := fs.Lookup("nats-url")
	if url.Value.String() == "" {
		return nil, nil
	}
	var clash []string
	for _, name := range ofEmbedded {
		switch f := fs.Lookup(name); {
		case !f.Changed:
		case fromCommandLine(f) && !fromCommandLine(url):
			clash = append(clash, "--"+name)
		default:
			unused = append(unused, "--"+name)
		}
	}
	if len(clash) > 0 {
		return nil, usagef("%s has serve use the nats-server at %s, and the command line says of the embedded one: %s; leave out one or the other (--nats-url '' is none)",
			origin(url), node.External{URL: url.Value.String()}, strings.Join(clash, ", "))
	}
	return unused, nil
}

// warnUnused logs the flags without a meaning beside --nats-url.
func (s *setup) warnUnused(log *slog.Logger) {
	if len(s.unused) > 0 {
		log.Warn("--nats-url names a nats-server, so these mean nothing", "flags", strings.Join(s.unused, " "))
	}
}

// hangups returns a channel of SIGHUP, which ends the program no longer, because a closed terminal
// sends it, and so do users who have changed a file.
func hangups() (all chan os.Signal, stop func()) {
	all = make(chan os.Signal, 1)
	signal.Notify(all, syscall.SIGHUP)
	return all, func() { signal.Stop(all) }
}

// rereadOn has the file of tokens be read again at each signal, until stop is called.
func rereadOn(signals <-chan os.Signal, n *node.Node, tokenFile string, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			select {
			case <-signals:
				if tokenFile == "" {
					log.Warn("SIGHUP changes nothing: files of users, keys and certificates are read at the start; restart to have them read again")
					continue
				}
				log.Info("SIGHUP has the file of tokens be read again; files of users, keys and certificates are read at the start")
				n.ReadTokens()
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		watching.Wait()
	}
}

// flags declares them with the values that s has as defaults.
func (s *setup) flags(fs *pflag.FlagSet) {
	c := &s.node
	fs.SortFlags = false
	fs.String(flagConfig, "", "TOML `file` with values of these flags")
	fs.StringVar(&c.DataDir, "data-dir", c.DataDir, "`folder` of the embedded nats-server, which holds everything")
	fs.StringVar(&c.NATSListen, "nats-listen", c.NATSListen, "`address` of the embedded nats-server; port 0 picks one")
	fs.StringVar(&c.NATSUsersFile, "nats-users-file", "", "`file` of lines \"name password role\" with the users of the embedded nats-server: publisher, observer, operator, or worker with the names of its stations behind it")
	tlsFlags(fs, &c.NATSListenTLS, "nats-listen-tls", "the embedded nats-server", "clients, who then need one")
	fs.IntVar(&c.NATSMaxConnections, "nats-max-connections", 0, "connections of the embedded nats-server at a time; 0 is a quarter of the open files that the process may have")
	fs.Var(&syncValue{&c.Sync}, "sync", "when writes of the embedded nats-server are on disk: always, or an interval that a power cut may cost")
	fs.StringVar(&c.HTTPListen, "http-listen", c.HTTPListen, "`address` of REST, /healthz, /readyz and /metrics; port 0 picks one")
	fs.IntVar(&c.HTTPMaxConnections, "http-max-connections", 0, "connections of HTTP at a time; 0 is a quarter of the open files that the process may have")
	fs.IntVar(&c.HTTPWorker.Concurrency, "http-concurrency", c.HTTPWorker.Concurrency, "calls that station http makes at once; 0: this node makes none")
	durationVar(fs, &c.HTTPWorker.LongestCall, "http-longest-call", c.HTTPWorker.LongestCall, "longest timeout_seconds that a plan of station http may have")
	fs.BoolVar(&c.HTTPWorker.AllowPrivate, "http-allow-private", false, "let station http call private, loopback and link-local addresses")
	listVar(fs, &c.HTTPWorker.Allow, "http-allow", "`targets` that may be called all the same, with commas: addresses, networks, hosts")
	fs.StringVar(&c.HTTPWorker.Proxy, "http-proxy", "", "`URL` of a proxy through which station http calls")
	fs.StringVar(&c.HTTPWorker.CAFile, "http-ca-file", "", "`file` of certificates that sign those of targets, in PEM, beside the system's")
	fs.StringVar(&c.HTTPWorker.PublicURL, "http-public-url", "", "`URL` that callback addresses begin with (default: http:// and the HTTP address)")
	fs.IntVar(&c.QueueBatch, "queue-batch", c.QueueBatch, "how many items of a merge queue its service is sent in one call, at most, and 512 KiB")
	fs.StringVar(&c.HTTPTokenFile, "http-token-file", "", "`file` of lines \"token role [name [stations]]\", the role reader, worker or operator (default: REST only for connections from this machine)")
	listVar(fs, &c.HTTPOrigins, "http-origins", "`origins` whose web pages may use REST, such as https://console.example.org, with commas (default: none)")
	fs.BoolVar(&c.HTTPReadOnly, "http-read-only", false, "take no changes by REST: every token is a reader's")
	fs.StringVar(&c.HTTPBasePath, "http-base-path", "", "`path` that REST and the console are below, such as /stationmaster, where a proxy passes on only that")
	fs.StringVar(&c.SecretsKeyFile, "secrets-key-file", "", "`file` of keys, 32 bytes in hex or base64, that encrypt secrets; the first one seals, all open (default: they are stored as they are)")
	externalFlags(fs, &c.NATS, "")
	fs.StringVar(&c.Cluster.Name, "cluster-name", "", "`name` of the cluster that the embedded nats-servers of several nodes form")
	fs.StringVar(&c.Cluster.Listen, "cluster-listen", "", "`address` of the embedded nats-server for the others of the cluster")
	listVar(fs, &c.Cluster.Routes, "cluster-routes", "`urls` of the servers of the cluster, nats://host:port with commas between")
	fs.StringVar(&c.Cluster.KeyFile, "cluster-key-file", "", "`file` with a name and a password that the servers of the cluster show each other, the same on every node")
	tlsFlags(fs, &c.Cluster.TLS, "cluster-tls", "this node for the others of the cluster", "the others")
	fs.BoolVar(&c.Insecure, "insecure", false, "listen on the network without the files of users, tokens and keys that restrict access")
	fs.StringVar(&c.Node, "node", "", "`name` of this node (default: the host's and a random part)")
	fs.StringVar(&c.Prefix, "prefix", "", "prefix of all subjects, streams and buckets")
	fs.IntVar(&c.Partitions, "partitions", c.Partitions, "shards of the installation, each with a leader of its own; fixed when it is made")
	fs.IntVar(&c.Replicas, "replicas", c.Replicas, "replicas of every stream and bucket when they are made; 0 is 1, or 3 in a cluster of three")
	durationVar(fs, &c.Lease, "lease", c.Lease, "silence of a leader after which another takes over")
	durationVar(fs, &c.Checkpoint, "checkpoint", c.Checkpoint, "how long a record is quiet before the bucket gets it")
	fs.BoolVar(&c.AcceptRollback, "accept-rollback", false, "go on when an older store comes back under this node; all that was stored behind it is lost (default: the node ends with exit code 1)")
	durationVar(fs, &c.MisfireGrace, "misfire-grace", c.MisfireGrace, "how late an occurrence still runs after a time without a scheduler; 0: not at all, unless its catch_up demands it")
	durationVar(fs, &c.ExecTimeout, "plan-exec-timeout", c.ExecTimeout, "default of plans' exec_timeout; 0 for none")
	durationVar(fs, &c.StartTimeout, "plan-start-timeout", c.StartTimeout, "default of plans' start_timeout; 0 for none")
	fs.Int64Var(&c.TenantPlans, "tenant-plans", 0, "how many plans a tenant_id may have at a time, or a caller without one, or all without either; 0 for any number")
	fs.IntVar(&c.TenantRate, "tenant-rate", 0, "how many requests a second each of those may make of this node; 0 for any number")
	fs.Var((*keptValue)(&c.ResultsAge), "results-age", "how long runs are kept (default 168h, or the stream's setting)")
	fs.Int64Var(&c.ResultsPerPlan, "results-per-plan", 0, "how many runs of a plan are kept (default 100, or the stream's setting)")
	fs.Var((*sizeValue)(&c.ResultsBytes), "results-bytes", "`bytes` of runs that are kept, such as 8GiB (default 8GiB, or the stream's setting)")
	fs.StringVar(&c.ResultsForm, "results-form", c.ResultsForm, "`form` of the stream of runs: own, or public before a return to an older release")
	fs.StringVar(&s.logFormat, "log-format", "text", "text or json")
	fs.StringVar(&s.logLevel, "log-level", s.logLevel, "debug, info, warn or error")
}

// tlsFlags declares the three files of a listener.
func tlsFlags(fs *pflag.FlagSet, t *node.TLS, prefix, whose, others string) {
	fs.StringVar(&t.Cert, prefix+"-cert", "", "`file` of the certificate of "+whose)
	fs.StringVar(&t.Key, prefix+"-key", "", "`file` of the key of --"+prefix+"-cert")
	fs.StringVar(&t.CA, prefix+"-ca", "", "`file` of certificates that sign those of "+others)
}

// logger writes to w, configured by the flags.
func (s *setup) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.logLevel)); err != nil {
		return nil, usagef("--log-level %s: give debug, info, warn or error", s.logLevel)
	}
	opts := &slog.HandlerOptions{Level: level}
	switch s.logFormat {
	case "text":
		return slog.New(slog.NewTextHandler(w, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	default:
		return nil, usagef("--log-format %s: give text or json", s.logFormat)
	}
}

func serve(ctx context.Context, s *setup, stderr io.Writer) error {
	log, err := s.logger(stderr)
	if err != nil {
		return err
	}
	defer redirect(log)()
	signals, stop := hangups()
	defer stop()
	s.warnUnused(log)
	s.node.Log, s.node.Version = log, release()
	if err := s.node.Validate(); err != nil {
		return &usageError{err}
	}
	n, err := node.Start(ctx, s.node)
	if err != nil {
		return err
	}
	defer rereadOn(signals, n, s.node.HTTPTokenFile, log)()
	err = attend(ctx, n, log)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	return errors.Join(err, n.Stop(stopping))
}

// attend logs that the node is ready, and waits for its end.
func attend(ctx context.Context, n *node.Node, log *slog.Logger) error {
	if err := n.AwaitReady(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // stopped before it was ready, as requested
		}
		return err
	}
	log.Info("ready", "nats", n.URL(), "http", n.HTTPAddr(), "version", release())
	err := n.Wait(ctx)
	log.Info("stopping")
	return err
}

// syncValue is the flag --sync: "always", which is 0, or an interval.
type syncValue struct{ interval *time.Duration }

func (v *syncValue) String() string {
	if v.interval == nil || *v.interval == 0 {
		return "always"
	}
	return v.interval.String()
}

func (v *syncValue) Set(text string) error {
	if text == "always" {
		*v.interval = 0
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("%s is neither always nor an interval such as 250ms", strconv.Quote(text))
	}
	*v.interval = d
	return nil
}

func (*syncValue) Type() string { return "always|interval" }
