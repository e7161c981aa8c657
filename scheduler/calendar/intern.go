package calendar

import (
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A ruleKey has all the parameters of a rule.
type ruleKey struct {
	planType schema.PlanType
	value    int64  // plan_value, of week and month
	planTime int64  // in Unix seconds, of week and month: its time of day counts; 0 is midnight
	cron     string // of cron
	zone     string
	change   schema.ClockChange
}

// maxRules bounds the cache of rules. A rule takes some 200 bytes.
const maxRules = 8192

// rules lets all plans with the same parameters share one rule. It is a cache, so a full one
// is emptied, which costs only memory.
var rules = struct {
	sync.Mutex
	known map[ruleKey]*rule
}{known: make(map[ruleKey]*rule)}

// ruleOf returns the rule of a week, month or cron plan whose values are in range, or a
// *schema.Error that names the field.
func ruleOf(key ruleKey) (*rule, error) {
	rules.Lock()
	r, known := rules.known[key]
	rules.Unlock()
	if known {
		return r, nil
	}
	r, err := newRule(key)
	if err != nil {
		return nil, err
	}
	rules.Lock()
	defer rules.Unlock()
	if len(rules.known) >= maxRules {
		clear(rules.known)
	}
	rules.known[key] = r
	return r, nil
}

func newRule(key ruleKey) (*rule, error) {
	z, err := loadZone(key.zone)
	if err != nil {
		return nil, invalid("timezone", "%v", err)
	}
	clock := 0
	if key.planTime != 0 {
		hour, minute, second := time.Unix(key.planTime, 0).In(z.Location).Clock()
		clock = hour*3600 + minute*60 + second
	}
	r := rule{change: fixedTime}
	switch key.planType {
	case schema.TypeWeek:
		r.pattern = weekly(int(key.value), clock)
	case schema.TypeMonth:
		r.pattern = monthly(int(key.value), clock)
	default:
		if r, err = parseCron(key.cron); err != nil {
			return nil, invalid("cron", "%v", err)
		}
	}
	r.zone = z
	r.choose(key.change)
	return &r, nil
}
