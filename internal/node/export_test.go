package node

import (
	"context"
	"log/slog"

	"github.com/stationmaster-io/stationmaster/broker/embed"
)

// The times that tests of Supervise take into account.
const (
	SuperviseEvery = superviseEvery
	SickFor        = sickAtMost * superviseEvery
)

// Supervise supervises a server without the rest of a node, until ctx ends, because a whole
// node cannot run under fake time.
func Supervise(ctx context.Context, s *embed.Server, log *slog.Logger) {
	(&Node{server: s, log: log}).superviseServer(ctx)
}
