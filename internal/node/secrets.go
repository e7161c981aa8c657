package node

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"

	"github.com/stationmaster-io/stationmaster/broker"
)

// secretKeys reads the keys that encrypt secrets; none when no file is named.
func (c *Config) secretKeys(log *slog.Logger) ([]broker.SecretKey, error) {
	if c.SecretsKeyFile == "" {
		return nil, nil
	}
	keys, err := broker.ReadSecretKeys(c.SecretsKeyFile)
	if err != nil {
		return nil, fmt.Errorf("--secrets-key-file: %w", err)
	}
	warnReadable("secrets-key-file", c.SecretsKeyFile, log)
	return keys, nil
}

// readSecret reads a file that a flag names, and logs a warning if other users of this
// machine can read it.
func readSecret(flag, path string, log *slog.Logger) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	warnReadable(flag, path, log)
	return content, nil
}

// warnReadable logs a warning about a file that every user of this machine can read.
func warnReadable(flag, path string, log *slog.Logger) {
	is, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && is.Mode().Perm()&0o004 != 0 {
		log.Warn("a file of secrets can be read by every user of this machine; chmod 600 ends that",
			"flag", flag, "file", path, "mode", is.Mode().Perm().String())
	}
}

// openSecrets opens the secrets of an installation. If the key has changed since the last
// start, they are sealed anew. A secret that cannot be opened concerns the callbacks of its
// station alone, or the HTTP calls that name it.
func (n *Node) openSecrets(ctx context.Context, store *broker.Store) *broker.Secrets {
	secrets := store.Secrets(n.keys)
	sealed, err := secrets.Renew(ctx)
	if err != nil {
		n.log.Error("secrets of callbacks or HTTP calls cannot be used", "error", err)
	}
	if sealed > 0 {
		n.log.Info("secrets of callbacks and HTTP calls were sealed under the present key", "count", sealed, "key", n.keys[0].ID())
	}
	return secrets
}
