package client

import (
	"context"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
)

const secretsGroup = "secrets"

// PutSecret stores a value that plans of station http use as {{secret:NAME}}, in place of
// the one that has its name.
func (c *Client) PutSecret(ctx context.Context, secret *schema.NamedSecret) (*schema.SecretPut, error) {
	return change[schema.SecretPut](ctx, c, secretsGroup, "put", secret)
}

// DeleteSecret forgets a secret. Calls that are made with it are refused from then on.
func (c *Client) DeleteSecret(ctx context.Context, name string) (*schema.SecretDeleted, error) {
	return change[schema.SecretDeleted](ctx, c, secretsGroup, "delete", schema.SecretName{Name: name})
}

// ListSecrets returns one page of secrets, by name, without their values.
func (c *Client) ListSecrets(ctx context.Context, request schema.ListSecrets) (*schema.SecretPage, error) {
	return readOne[schema.SecretPage](ctx, c, secretsGroup, "list", request)
}

// Secrets returns all secrets without their values, page by page; an error ends the
// sequence.
func (c *Client) Secrets(ctx context.Context) iter.Seq2[schema.NamedSecret, error] {
	return pages("", func(cursor string) ([]schema.NamedSecret, string, error) {
		page, err := c.ListSecrets(ctx, schema.ListSecrets{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Secrets, page.Next, nil
	})
}
