package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// usedSecrets are the secrets that the lines of a backup use, which no backup has.
type usedSecrets struct {
	named  map[string]*usedSecret
	signed []string // the stations of callbacks that are signed
}

// A usedSecret is a named one, as calls use it.
type usedSecret struct {
	plans int64
	hosts []string
}

// ofPlan adds those of a plan.
func (u *usedSecrets) ofPlan(p schema.PlanCopy) {
	definition, err := p.Definition()
	if err != nil || planNameOf(definition).Station != schema.HTTPStation {
		return
	}
	for _, message := range definition.Field("messages").List() {
		var call schema.HTTPCall
		if wire.DecodeLoose(message, &call) != nil {
			continue
		}
		for _, name := range call.Secrets() {
			if u.named == nil {
				u.named = map[string]*usedSecret{}
			}
			if u.named[name] == nil {
				u.named[name] = new(usedSecret)
			}
			used, host := u.named[name], call.Origin().String()
			used.plans++
			if !slices.Contains(used.hosts, host) {
				used.hosts = append(used.hosts, host)
			}
		}
	}
}

// ofStation adds that of a station's callbacks.
func (u *usedSecrets) ofStation(s *schema.Station) {
	callback := s.Callback
	if s.TaskType != nil {
		callback = s.TaskType.Config.Callback
	}
	if callback != nil && callback.Signed() && callback.Security.SK == "" {
		u.signed = append(u.signed, s.Station)
	}
}

// withoutPresent leaves out the named secrets that the installation has.
func (u *usedSecrets) withoutPresent(ctx context.Context, c *client.Client) error {
	if len(u.named) == 0 {
		return nil
	}
	for secret, err := range c.Secrets().All(ctx) {
		if err != nil {
			return err
		}
		delete(u.named, secret.Name)
	}
	return nil
}

// warnMissing warns of the secrets that the installation lacks. A user who may not list secrets
// gets all that are used.
func (u *usedSecrets) warnMissing(ctx context.Context, c *client.Client, w io.Writer) {
	if errors.Is(u.withoutPresent(ctx, c), client.ErrUnavailable) {
		fmt.Fprintln(w, "note: the secrets that are here could not be listed")
	}
	u.list(w, "warning", "not in this installation")
}

// list prints the secrets, each with the command that puts it.
func (u *usedSecrets) list(w io.Writer, sign, lack string) {
	const most = 10
	names := slices.Sorted(maps.Keys(u.named))
	if len(names) > 0 {
		fmt.Fprintf(w, "%s: %s: %s that plans of the file use; their calls are refused until it is put:\n", sign, lack, counted64(int64(len(names)), "secret"))
	}
	for _, name := range names[:min(len(names), most)] {
		used := u.named[name]
		fmt.Fprintf(w, "  printf %%s \"$VALUE\" | stationmaster secret put %s --host %s    # %s\n",
			name, strings.Join(used.hosts, " --host "), counted64(used.plans, "plan"))
	}
	if more := len(names) - most; more > 0 {
		fmt.Fprintf(w, "  and %d more: %s\n", more, manifest.Few(names[most:]))
	}
	if len(u.signed) > 0 {
		fmt.Fprintf(w, "%s: callbacks of %s are signed, and no backup has their secrets: put %s again with its sk (stationmaster task type put -f, station put -f)\n",
			sign, manifest.Few(u.signed), counted64(int64(len(u.signed)), "record"))
	}
}
