package node

import (
	"context"
	"fmt"

	"github.com/stationmaster-io/stationmaster/broker"
)

// secretKeys reads what secrets are encrypted with; none when no file is named.
func (c *Config) secretKeys() ([]broker.SecretKey, error) {
	if c.SecretsKeyFile == "" {
		return nil, nil
	}
	keys, err := broker.ReadSecretKeys(c.SecretsKeyFile)
	if err != nil {
		return nil, fmt.Errorf("secrets-key-file: %w", err)
	}
	return keys, nil
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
