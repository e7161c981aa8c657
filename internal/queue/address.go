package queue

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// Station is that of the queues whose items go to a service, HoldStation that of those
	// whose items are only claimed.
	Station     = schema.QueueStation
	HoldStation = "queue.hold"
	// Category is that of all plans that are queues, to list them by.
	Category = "queue"
)

// PlanID is the id of the plan that is the queue of a key. It must never change.
func PlanID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return idPrefix + hex.EncodeToString(sum[:20])
}

// idPrefix begins the ids of plans that are queues.
const idPrefix = "q_"

// IsPlanID reports whether an id looks like one that [PlanID] made. The id of a queue whose
// key begins with - does not.
func IsPlanID(id string) bool {
	sum, is := strings.CutPrefix(id, idPrefix)
	_, err := hex.DecodeString(sum)
	return is && len(sum) == 40 && err == nil
}

// Merges reports whether pushes of a key are handed over together.
func Merges(key string) bool { return !strings.HasPrefix(key, "-") }

// An Address is the path of the HTTP form, /v3/queue/{merge_key}/{method}/{service}.
type Address struct {
	// Key is the queue's, of the three parts as they came.
	Key string
	// Method and Service are those of the HTTP call.
	Method, Service string
}

// methods are those of an HTTP call.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}

// ParseAddress reads the parts of a path, which are no longer escaped. The service is a
// URL in base64, of the standard or the URL alphabet, with or without padding. The error
// is a *[schema.Error] that names the part.
func ParseAddress(mergeKey, method, service string) (Address, error) {
	a := Address{Key: mergeKey + "/" + method + "/" + service}
	if mergeKey == "" {
		return a, wrong("merge_key", "merge_key is empty; it names the tasks to merge, or begins with - for one that is not merged")
	}
	target, ok := decode(service)
	if !ok {
		return a, wrong("service", "service is not base64 of a URL; say it in base64, standard or URL alphabet")
	}
	var err error
	if a.Method, a.Service, err = checkTarget(method, service, target); err != nil {
		return a, err
	}
	return a, checkKey(a.Key)
}

// decode reads base64 of any of the usual kinds.
func decode(s string) (string, bool) {
	s = strings.TrimRight(s, "=")
	s = strings.NewReplacer("+", "-", "/", "_", " ", "-").Replace(s)
	text, err := base64.RawURLEncoding.DecodeString(s)
	return string(text), err == nil
}

// checkTarget reads a method, in any case, and a URL. given is the text that the URL was read from,
// which a refusal shows, because a word that is no URL may still be read as base64.
func checkTarget(method, given, service string) (string, string, error) {
	method = strings.ToUpper(method)
	if !slices.Contains(methods, method) {
		return "", "", wrong("method", fmt.Sprintf("method %q is none of %s", method, strings.Join(methods, ", ")))
	}
	u, err := url.Parse(service)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", "", wrong("service", fmt.Sprintf("service %q is no URL of http or https, nor base64 of one", given))
	}
	return method, service, nil
}

func checkKey(key string) error {
	switch {
	case key == "":
		return wrong("key", "key is missing; it names the queue")
	case len(key) > schema.MaxQueueKey:
		return wrong("key", fmt.Sprintf("key has %d bytes; at most %d are taken", len(key), schema.MaxQueueKey))
	}
	return nil
}

func wrong(field, message string) error {
	return &schema.Error{Code: schema.CodeInvalidRequest, Field: field, Message: message}
}
