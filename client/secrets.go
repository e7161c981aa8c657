package client

import (
	"context"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
)

const secretsGroup = "secrets"

// Secrets is the handle of the named secrets of HTTP calls.
type Secrets struct{ c *Client }

// Secrets returns the handle of the named secrets.
func (c *Client) Secrets() Secrets { return Secrets{c} }

// Put stores a value that plans of station http use as {{secret:NAME}}. It replaces the
// secret of the same name.
func (s Secrets) Put(ctx context.Context, secret schema.NamedSecret) (*schema.SecretPut, error) {
	return change[schema.SecretPut](ctx, s.c, secretsGroup, "put", secret)
}

// Delete removes a secret. Calls that use it are refused from then on.
func (s Secrets) Delete(ctx context.Context, name string) (*schema.SecretDeleted, error) {
	return change[schema.SecretDeleted](ctx, s.c, secretsGroup, "delete", schema.SecretName{Name: name})
}

// List returns one page of secrets, by name, without their values.
func (s Secrets) List(ctx context.Context, request schema.ListSecrets) (*schema.SecretPage, error) {
	return readOne[schema.SecretPage](ctx, s.c, secretsGroup, "list", request)
}

// All returns all secrets without their values, page by page; an error ends the sequence.
func (s Secrets) All(ctx context.Context) iter.Seq2[schema.NamedSecret, error] {
	return pages("", func(cursor string) ([]schema.NamedSecret, string, error) {
		page, err := s.List(ctx, schema.ListSecrets{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Secrets, page.Next, nil
	})
}
