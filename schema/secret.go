package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Limits of a NamedSecret.
const (
	maxSecretValue = 4096
	maxSecretHosts = 32
)

// A NamedSecret is a value that plans of station http use as {{secret:NAME}}, and that is
// never shown: it asks secrets.put, and is listed without its value.
type NamedSecret struct {
	Name  string `json:"name"`            // 1 to 128 of A-Z a-z 0-9 _ -; required
	Value Secret `json:"value,omitempty"` // UTF-8, 1 to 4,096 bytes; empty when listed
	// Hosts are the only ones that it may be sent to: host or host:port, which means
	// https, or with http:// in front. Check writes them as [Origin.String] does.
	Hosts []string `json:"hosts,omitempty" wire:"set"`
	// TenantID lets plans of this tenant use it, and no others. Empty: all may.
	TenantID string `json:"tenant_id,omitempty" wire:"numeric"`
}

// SecretPut answers secrets.put.
type SecretPut struct {
	Name    string `json:"name"`    // as requested
	Created bool   `json:"created"` // false: it replaced one
	// Dropped are the fields of the secret before that this one leaves out, and hosts that it may not
	// be sent to any more, as hosts.https://a.org. Empty: none.
	Dropped []string `json:"dropped,omitempty"`
}

// SecretName names a secret in secrets.delete.
type SecretName struct {
	Name string `json:"name"` // required
}

// SecretDeleted answers secrets.delete.
type SecretDeleted struct {
	Name    string `json:"name"`    // as requested
	Deleted bool   `json:"deleted"` // false: of a dry run alone, because a missing one is not_found
	// Plans is how many plans make calls with it, which are refused from then on; without a dry run,
	// as many as were found within two seconds.
	Plans int64 `json:"plans,omitempty"`
	// UsedBy are the first ten of them, as station/plan_id.
	UsedBy []string `json:"used_by,omitempty"`
	DryRun bool     `json:"dry_run,omitempty"` // true: nothing was done
}

// ListSecrets asks secrets.list. Limit is 1 to 1,000 (100).
type ListSecrets struct {
	Limit  int64  `json:"limit,omitempty" wire:"1-1000"` // secrets on a page; 0: 100
	Cursor string `json:"cursor,omitempty"`              // Next of the page before; empty: the first page
}

// SecretPage answers secrets.list, by name, without values.
type SecretPage struct {
	Secrets []NamedSecret `json:"secrets"`        // of this page
	Next    string        `json:"next,omitempty"` // the cursor of the next page; empty on the last
}

// ParseNamedSecret reads and checks a request to secrets.put. The error is [Errors].
func ParseNamedSecret(v wire.Value) (*NamedSecret, error) {
	n := new(NamedSecret)
	c := checker{code: CodeInvalidRequest}
	if err := wire.Decode(v, n); err != nil {
		c.errs = WireErrors(CodeInvalidRequest, err)
	}
	c.namedSecret(n)
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	return n, nil
}

func (c *checker) namedSecret(n *NamedSecret) {
	if err := CheckID(n.Name); err != nil {
		c.fail("name", "name %v", err)
	}
	switch {
	case n.Value == "":
		c.fail("value", "value is missing; it takes the place of {{secret:NAME}}")
	case len(n.Value) > maxSecretValue:
		c.fail("value", "value has %d bytes; at most %d are taken", len(n.Value), maxSecretValue)
	case !utf8.ValidString(string(n.Value)):
		c.fail("value", "value is no text in UTF-8; write bytes in base64")
	}
	switch {
	case len(n.Hosts) == 0:
		c.fail("hosts", "hosts is missing; it lists whom the secret may be sent to, such as [\"api.example.org\"]")
	case len(n.Hosts) > maxSecretHosts:
		c.fail("hosts", "hosts has %d items; at most %d are taken", len(n.Hosts), maxSecretHosts)
	}
	for i, text := range n.Hosts[:min(len(n.Hosts), maxSecretHosts)] {
		origin, err := parseOrigin(text)
		if err != nil {
			named := ", " + shorten(text) + ","
			if strings.Contains(text, "@") {
				named = "" // the text before it may be a password
			}
			c.fail("hosts", "hosts: item %d%s %v", i+1, named, err)
			continue
		}
		n.Hosts[i] = origin.String()
	}
	slices.Sort(n.Hosts)
	n.Hosts = slices.Compact(n.Hosts) // one host may be written in two ways
	if i := strings.IndexFunc(n.TenantID, isControl); i >= 0 || len(n.TenantID) > MaxName {
		c.fail("tenant_id", "tenant_id takes a text of %d bytes at most, without control characters", MaxName)
	}
}

// parseOrigin reads an item of [NamedSecret.Hosts].
func parseOrigin(text string) (Origin, error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	if err := CheckURL(text); err != nil {
		return Origin{}, err
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return Origin{}, unwrapURL(err)
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return Origin{}, fmt.Errorf("is more than a host; leave out the rest")
	case strings.ContainsAny(u.Hostname(), "*"):
		return Origin{}, fmt.Errorf("holds a *; name each host")
	}
	return OriginOf(u), nil
}

// MayGo returns an error when the secret may not be sent to an origin for a plan of that
// tenant.
func (n *NamedSecret) MayGo(to Origin, tenant string) error {
	switch {
	case n.TenantID != "" && n.TenantID != tenant:
		return fmt.Errorf("{{secret:%s}} is not for tenant %q", n.Name, shorten(tenant))
	case !slices.Contains(n.Hosts, to.String()):
		return fmt.Errorf("{{secret:%s}} is not for %s; secrets.put names the hosts that it is for", n.Name, to)
	}
	return nil
}

// secretWord begins the words of a [Template] that are names of secrets.
const secretWord = "secret:"

// SecretOf is the name of the secret that a word of a template stands for; false: it is
// another word.
func SecretOf(word string) (name string, ok bool) { return strings.CutPrefix(word, secretWord) }

// Secrets are the names of the secrets that a call uses, each once.
func (h *HTTPCall) Secrets() (names []string) {
	texts := []string{h.TargetURL, h.BodyTemplate}
	for _, value := range h.Headers {
		texts = append(texts, value)
	}
	for _, text := range texts {
		t, err := ParseTemplate(text)
		if err != nil {
			continue
		}
		for _, word := range t.Parts() {
			if name, ok := SecretOf(word); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
