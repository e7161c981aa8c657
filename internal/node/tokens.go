package node

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

// tokensEvery is the interval between two looks at the file of tokens. A poll sees a change in
// every file system, also of a secret that is mounted.
const tokensEvery = time.Second

// readTokens reads a file of tokens.
func readTokens(path string, log *slog.Logger) (*gateway.Tokens, error) {
	file, err := readSecret("http-token-file", path, log)
	if err != nil {
		return nil, err
	}
	tokens, err := gateway.ReadTokens(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("--http-token-file %s: %w", path, err)
	}
	return tokens, nil
}

// ReadTokens has the file of tokens be read again, soon, though it seems unchanged.
func (n *Node) ReadTokens() {
	if n.rest == nil {
		return
	}
	select {
	case n.rest.reread <- struct{}{}:
	default: // it is to be read already
	}
}

// watchTokens reads the file of tokens again whenever it has changed, until ctx ends. A file that
// is wrong changes nothing, so that a mistake in it locks no user out.
func (n *Node) watchTokens(ctx context.Context) {
	path := n.cfg.HTTPTokenFile
	ticks := time.NewTicker(tokensEvery)
	defer ticks.Stop()
	before, logged := n.rest.tokenFile, ""
	for {
		wanted := false
		select {
		case <-ticks.C:
		case <-n.rest.reread:
			wanted = true
		case <-ctx.Done():
			return
		}
		now, err := os.Stat(path)
		if err == nil && !wanted && sameFile(before, now) {
			continue
		}
		var tokens *gateway.Tokens
		if err == nil {
			before = now
			tokens, err = readTokens(path, n.log)
		}
		if err != nil {
			if wanted || logged != err.Error() {
				n.log.Error("the tokens from before stay, because the file cannot be used", "error", err)
			}
			logged = err.Error()
			n.tokensAre(true)
			continue
		}
		logged = ""
		n.tokensAre(false)
		n.rest.tokens.Replace(tokens)
		n.rest.gateway.Load().TokensReplaced()
		n.log.Info("the file of tokens was read again", "file", path)
	}
}

// tokensAre notes whether the tokens are those from before, for /readyz and the metrics, because one
// that was taken out of the file is still good then.
func (n *Node) tokensAre(stale bool) {
	n.rest.stale.Store(stale)
	n.metrics.TokensStale(stale)
}

// tokensLine is the line of /readyz about the tokens; empty: the file is in use, or there is none.
// It does not quote the file, because the probe is everybody's.
func (n *Node) tokensLine() string {
	if n.rest == nil || !n.rest.stale.Load() {
		return ""
	}
	return "\ntokens: the file cannot be used, and those from before stay, also what was taken out of it since; the log says why"
}

// sameFile reports whether a file is as it was.
func sameFile(before, now os.FileInfo) bool {
	return os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()) && before.Size() == now.Size()
}
