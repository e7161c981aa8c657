package front

import (
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// maxTenants is how many tenants have a bucket of their own at a time. Tenants beyond that
// share one with the requests without a tenant, so that made-up names get no more tokens than
// that bucket has.
const maxTenants = 10_000

// metering is how the requests of a verb count for their tenants.
type metering struct {
	free bool
	many string // the member whose list elements count; empty: the request does
}

var (
	metered = metering{}
	// unmetered are the verbs of workers, which a refusal would only delay, and verbs that end
	// or hold work, so that a tenant over its limit can always reduce its load.
	unmetered = metering{free: true}
)

// eachOf is for a request with many: each element of the list in that member counts.
func eachOf(member string) metering { return metering{many: member} }

// rates limit how many requests a second each tenant makes of this node, by a token bucket as
// large as a second's tokens. A request for many takes all its tokens together, though the
// bucket may then be in debt, for which the tenant waits before its next request.
type rates struct {
	each int // tokens a second; 0: no limit

	mu    sync.Mutex
	of    map[schema.Tenant]*rate.Limiter
	swept time.Time
}

func newRates(each int) *rates {
	return &rates{each: each, of: map[schema.Tenant]*rate.Limiter{}}
}

// take takes tokens of tenants at now: all, or none, and then returns the tenant that lacks
// some and for how long.
func (r *rates) take(now time.Time, wanted map[schema.Tenant]int) (lacks schema.Tenant, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.makeRoom(now, len(wanted))
	buckets := make(map[schema.Tenant]*rate.Limiter, len(wanted))
	for t := range wanted {
		buckets[t] = r.bucket(t)
		tokens := buckets[t].TokensAt(now)
		if d := time.Duration((1 - tokens) / float64(r.each) * float64(time.Second)); d > wait {
			lacks, wait = t, d
		}
	}
	if wait > 0 {
		return lacks, wait
	}
	for t, n := range wanted {
		for ; n > 0; n -= r.each {
			buckets[t].ReserveN(now, min(n, r.each)) // no more than a full bucket at a time, as often as need be
		}
	}
	return schema.Tenant{}, 0
}

// bucket is that of a tenant; when there are too many, the one of requests without a tenant.
func (r *rates) bucket(t schema.Tenant) *rate.Limiter {
	if r.of[t] == nil && len(r.of) >= maxTenants {
		t = schema.Tenant{}
	}
	b := r.of[t]
	if b == nil {
		b = rate.NewLimiter(rate.Limit(r.each), r.each)
		r.of[t] = b
	}
	return b
}

// makeRoom makes room for n tenants. It forgets those that have been idle until their buckets
// were full, at most once a second, because that looks at all.
func (r *rates) makeRoom(now time.Time, n int) {
	if len(r.of)+n <= maxTenants || now.Sub(r.swept) < time.Second {
		return
	}
	r.swept = now
	for t, b := range r.of {
		if b.TokensAt(now) >= float64(r.each) {
			delete(r.of, t)
		}
	}
}

// withinRate refuses r when its tenant makes too many requests.
func (r *request) withinRate() error {
	rates := r.front.rates
	if rates.each == 0 || r.endpoint.free {
		return nil
	}
	t, wait := rates.take(r.began, r.counts())
	if wait == 0 {
		return nil
	}
	r.front.config.Metrics.OverRate()
	later := int64(math.Ceil(float64(wait) / float64(time.Millisecond)))
	return &schema.Error{
		Code: schema.CodeQuotaExceeded, TenantID: t.ID, RetryAfterMS: later,
		Message: fmt.Sprintf("the quota of %d requests a second is used up for %s, and nothing was done: send it again in %d ms, or have your operator give more (--tenant-rate)",
			rates.each, t, later),
	}
}

// counts returns how often r counts, by tenant. Each element of its list counts once, unless
// there are more than the verb takes.
func (r *request) counts() map[schema.Tenant]int {
	one := map[schema.Tenant]int{tenantIn(r.body): 1}
	if r.endpoint.many == "" {
		return one
	}
	all := map[schema.Tenant]int{}
	for i, v := range r.body.Field(r.endpoint.many).List() {
		if all[tenantIn(v)]++; i == maxImport {
			return one
		}
	}
	if len(all) == 0 {
		return one
	}
	return all
}

// tenantIn is the tenant that a request, or a plan in it, names.
func tenantIn(v wire.Value) schema.Tenant {
	t := schema.NewTenant(nameIn(v, "tenant_id"), nameIn(v, "caller"))
	if plan := v.Field("plan"); t == (schema.Tenant{}) && !plan.IsZero() {
		return schema.NewTenant(nameIn(plan, "tenant_id"), nameIn(plan, "caller"))
	}
	return t
}

// nameIn is a name in v, which may be a number; empty: there is none.
func nameIn(v wire.Value, field string) string {
	name := v.Field(field)
	if !name.IsZero() && name.Kind() == wire.KindInt {
		return name.String()
	}
	text, _ := name.Text()
	return text
}
