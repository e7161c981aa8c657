package node

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"

	"github.com/stationmaster-io/stationmaster/broker"
)

// secretKeys reads what secrets are encrypted with; none when no file is named.
func (c *Config) secretKeys(log *slog.Logger) ([]broker.SecretKey, error) {
	if c.SecretsKeyFile == "" {
		return nil, nil
	}
	keys, err := broker.ReadSecretKeys(c.SecretsKeyFile)
	if err != nil {
		return nil, fmt.Errorf("secrets-key-file: %w", err)
	}
	warnReadable("secrets-key-file", c.SecretsKeyFile, log)
	return keys, nil
}

// readSecret reads a file that a flag names, and warns of one that other users of this
// machine can read.
func readSecret(flag, path string, log *slog.Logger) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	warnReadable(flag, path, log)
	return content, nil
}

// warnReadable warns of a file that others than its owner and its group can read.
func warnReadable(flag, path string, log *slog.Logger) {
	is, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && is.Mode().Perm()&0o004 != 0 {
		log.Warn("a file of secrets can be read by every user of this machine; chmod 600 ends that",
			"flag", flag, "file", path, "mode", is.Mode().Perm().String())
	}
}

// openSecrets opens the secrets of an installation. What they are sealed under may have
// changed since the last start: then they are sealed anew. Those that cannot be opened
// concern the callbacks of their station alone.
func (n *Node) openSecrets(ctx context.Context, store *broker.Store) *broker.Secrets {
	secrets := store.Secrets(n.keys)
	sealed, err := secrets.Renew(ctx)
	if err != nil {
		n.log.Error("secrets of callbacks cannot be used", "error", err)
	}
	if sealed > 0 {
		n.log.Info("secrets of callbacks were sealed under the present key", "count", sealed, "key", n.keys[0].ID())
	}
	return secrets
}
