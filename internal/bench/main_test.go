package bench

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

// serveVariable makes this program a node with the flags in its value, and partVariable a part.
const (
	serveVariable = "BENCH_TEST_SERVE"
	partVariable  = "BENCH_TEST_PART"
)

func TestMain(m *testing.M) {
	lease = 15 * time.Second
	var err error
	switch flags, role := os.Getenv(serveVariable), os.Getenv(partVariable); {
	case flags != "":
		err = serveUntilKilled(strings.Fields(flags))
	case role != "":
		err = Part(context.Background(), role, os.Stdin, os.Stdout)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveProgram is this program as a node, partProgram as a part.
func serveProgram(ctx context.Context, store string, flags ...string) *exec.Cmd {
	program := exec.CommandContext(ctx, os.Args[0])
	program.Env = append(os.Environ(), serveVariable+"=--data-dir "+store+" "+strings.Join(flags, " "))
	return program
}

func partProgram(ctx context.Context, role string) *exec.Cmd {
	program := exec.CommandContext(ctx, os.Args[0])
	program.Env = append(os.Environ(), partVariable+"="+role)
	return program
}

func serveUntilKilled(args []string) error {
	cfg := node.Default()
	cfg.NATSListen, cfg.HTTPListen, cfg.Lease = "127.0.0.1:0", "", lease
	cfg.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.StringVar(&cfg.DataDir, "data-dir", "", "")
	flags.StringVar(&cfg.NATS.URL, "nats-url", "", "")
	flags.StringVar(&cfg.Node, "node", "", "")
	flags.StringVar(&cfg.Cluster.Name, "cluster-name", "", "")
	flags.StringVar(&cfg.Cluster.Listen, "cluster-listen", "", "")
	routes := flags.String("cluster-routes", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *routes != "" {
		cfg.Cluster.Routes = strings.Split(*routes, ",")
	}
	n, err := node.Start(context.Background(), cfg)
	if err != nil {
		return err
	}
	if err := n.AwaitReady(context.Background()); err != nil {
		return err
	}
	cfg.Log.Info("ready", "nats", n.URL(), "http", "")
	return n.Wait(context.Background())
}
