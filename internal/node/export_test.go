package node

import (
	"context"
	"log/slog"

	"github.com/stationmaster-io/stationmaster/broker/embed"
)

// How long tests of Tend have to be.
const (
	TendEvery = tendEvery
	SickFor   = sickAtMost * tendEvery
)

// Tend tends a server for a node of which there is no more, until ctx ends: a whole one
// cannot live under fake time.
func Tend(ctx context.Context, s *embed.Server, log *slog.Logger) {
	(&Node{server: s, log: log}).tend(ctx)
}
