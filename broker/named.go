package broker

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// namedPrefix begins the keys of secrets that have a name, because no station's name can.
const namedPrefix = "http/"

// whose describes a secret by its key, in messages.
func whose(key string) string {
	if name, ok := strings.CutPrefix(key, namedPrefix); ok {
		return "secret " + name
	}
	return "the secret of station " + key
}

// putAgain is the command that replaces a secret which cannot be used.
func putAgain(key string) string {
	if _, ok := strings.CutPrefix(key, namedPrefix); ok {
		return "put it again with secrets.put"
	}
	return "put the task type again with its sk"
}

// namedRecord is the sealed form of a named secret. It includes the hosts, so that a client
// that can write to the bucket cannot have the secret sent elsewhere.
type namedRecord struct {
	Value    string   `json:"value"`
	Hosts    []string `json:"hosts"`
	TenantID string   `json:"tenant_id,omitempty"`
}

// PutNamed stores a secret in place of the one with its name, and reports whether there was
// none.
func (s *Secrets) PutNamed(ctx context.Context, n *schema.NamedSecret) (created bool, err error) {
	known, err := s.Has(ctx, namedPrefix+n.Name)
	if err != nil {
		return false, err
	}
	record, err := json.Marshal(namedRecord{string(n.Value), n.Hosts, n.TenantID})
	if err != nil {
		return false, fmt.Errorf("encode secret %s: %w", n.Name, err)
	}
	return !known, s.Put(ctx, namedPrefix+n.Name, schema.Secret(record))
}

// Named returns the secret of that name; ErrNotFound when there is none. Its other errors
// never contain the secret.
func (s *Secrets) Named(ctx context.Context, name string) (*schema.NamedSecret, error) {
	record, err := s.Get(ctx, namedPrefix+name)
	if err != nil {
		return nil, err
	}
	return readNamed(name, record)
}

func readNamed(name string, record schema.Secret) (*schema.NamedSecret, error) {
	var r namedRecord
	if json.Unmarshal([]byte(record), &r) != nil { // its error may repeat the input
		return nil, fmt.Errorf("secret %s is no record of ours; %s", name, putAgain(namedPrefix))
	}
	return &schema.NamedSecret{Name: name, Value: schema.Secret(r.Value), Hosts: r.Hosts, TenantID: r.TenantID}, nil
}

// DeleteNamed deletes the secret of that name, and reports whether there was one.
func (s *Secrets) DeleteNamed(ctx context.Context, name string) (known bool, err error) {
	known, err = s.Has(ctx, namedPrefix+name)
	if err == nil && known {
		err = s.Delete(ctx, namedPrefix+name)
	}
	return known, err
}

// AllNamed returns all named secrets, by name, without their values. A secret that cannot
// be opened has its name alone.
func (s *Secrets) AllNamed(ctx context.Context) ([]schema.NamedSecret, error) {
	all := map[string]schema.NamedSecret{}
	err := s.bucket.Scan(ctx, 0, func(key string, value []byte, _ uint64) error {
		name, ok := strings.CutPrefix(key, namedPrefix)
		if !ok {
			return nil
		}
		if value == nil {
			delete(all, name)
			return nil
		}
		shown := schema.NamedSecret{Name: name}
		if record, _, err := s.open(key, value); err == nil {
			if n, err := readNamed(name, record); err == nil {
				shown.Hosts, shown.TenantID = n.Hosts, n.TenantID
			}
		}
		all[name] = shown
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := make([]schema.NamedSecret, 0, len(all))
	for _, n := range all {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b schema.NamedSecret) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}
