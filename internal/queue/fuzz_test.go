package queue_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/queue"
	"github.com/stationmaster-io/stationmaster/schema"
)

// FuzzParseAddress reads any path of the HTTP form. An accepted one has a method and a URL
// that can be written as a path again, and a key of its own; the error of any other names a
// field.
func FuzzParseAddress(f *testing.F) {
	for _, service := range []string{"aHR0cDovL2gvP2E9Pz8/Pj4+", "aHR0cDovL2g=", "aHR0cDovL2gvP2E9Pz8_Pj4-", "!", "ZmlsZTovLy9hL2I"} {
		f.Add("orders", "post", service)
		f.Add("-", "GET", service)
	}
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, key, method, service string) {
		a, err := queue.ParseAddress(key, method, service)
		var e *schema.Error
		if err != nil {
			if !errors.As(err, &e) || e.Code != schema.CodeInvalidRequest || e.Field == "" {
				t.Fatalf("%q %q %q: %v", key, method, service, err)
			}
			return
		}
		if len(a.Key) > schema.MaxQueueKey || a.Key != key+"/"+method+"/"+service || a.Method != strings.ToUpper(method) || queue.Merges(a.Key) == (key[0] == '-') {
			t.Fatalf("%q %q %q is %+v", key, method, service, a)
		}
		if !strings.HasPrefix(strings.ToLower(a.Service), "http") || schema.CheckID(queue.PlanID(a.Key)) != nil {
			t.Fatalf("%+v, of plan %s, calls no URL", a, queue.PlanID(a.Key))
		}
		plain := base64.RawURLEncoding.EncodeToString([]byte(a.Service))
		again, err := queue.ParseAddress("k", a.Method, plain)
		if err != nil || again.Method != a.Method || again.Service != a.Service {
			t.Fatalf("%+v is read back as %+v, %v", a, again, err)
		}
	})
}
