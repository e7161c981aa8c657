package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An answer is a route's response without an error.
type answer struct {
	status   int                  // 0: 200
	body     any                  // encoded by package wire; nil: none
	location string               // of the new resource
	state    cronjob.Precondition // of a resource that If-Match can guard; zero: it has none
	raw      []byte               // JSON to send in place of body
	own      bool                 // raw is held for this answer alone
	private  bool                 // no cache may keep it
	cookie   *http.Cookie         // to set; nil: none
}

// encoded returns a with its body encoded.
func (a answer) encoded() (answer, error) {
	a.own = true
	if a.raw != nil || a.body == nil {
		return a, nil
	}
	var err error
	a.raw, err = wire.Marshal(wire.JSON, a.body)
	return a, err
}

// answer writes a, or 304 when the caller has it already.
func (g *Gateway) answer(w http.ResponseWriter, r *http.Request, a answer) {
	body := a.raw
	if n := int64(len(body)); a.own && n > smallAnswer {
		if err := hold(r.Context(), g.answers, n); err != nil {
			g.fail(w, r, err)
			return
		}
		defer g.answers.Release(n)
	}
	h := w.Header()
	if a.location != "" {
		h.Set("Location", g.config.BasePath+a.location)
	}
	if a.status == 0 {
		a.status = http.StatusOK
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if body != nil {
		h.Set("Content-Type", "application/json")
		if reads || a.state.Incarnation != 0 { // else it has no tag that a change could name
			h.Set("ETag", tag(body, a.state))
		}
	}
	h.Set("Cache-Control", "no-cache") // a cache may keep it, and must revalidate it
	if a.private {
		h.Set("Cache-Control", "no-store")
		h.Del("ETag")
	}
	if a.cookie != nil {
		http.SetCookie(w, a.cookie)
	}
	if reads && matches(r.Header.Get("If-None-Match"), h.Get("ETag")) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if body == nil {
		w.WriteHeader(a.status)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(a.status)
	_, _ = w.Write(body) // the caller may be gone
}

// incarnationBase is that of the incarnation in a tag.
const incarnationBase = 36

// tag is the entity tag of a body, which is a hash, behind the revision and the incarnation where
// there are some.
func tag(body []byte, of cronjob.Precondition) string {
	sum := sha256.Sum256(body)
	text := base64.RawURLEncoding.EncodeToString(sum[:12])
	if of.Version != 0 {
		text = strconv.FormatUint(of.Version, 10) + "-" + strconv.FormatUint(of.Incarnation, incarnationBase) + "-" + text
	}
	return `"` + text + `"`
}

// matches reports whether a list of tags, as in If-None-Match, contains one.
func matches(list, tag string) bool {
	if tag == "" {
		return false
	}
	for one := range strings.SplitSeq(list, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
			return true
		}
	}
	return false
}
