package explain

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A plan whose runs fail is asked about because of that, so what is next is not all to say.

// failures are the newest runs that failed, without a success since: how many, and the last of them;
// none is said where a run or a time was asked for, or the plan is gone.
func (x *explaining) failures() (count int64, last *Kept) {
	if x.Leader == nil || x.Ask.N != 0 || x.Ask.Occurrence != 0 || !x.Ask.At.IsZero() {
		return 0, nil
	}
	for i := range slices.Backward(x.Kept) {
		r := &x.Kept[i]
		switch {
		case !r.Final, r.State == schema.StateSkipped, r.State == schema.StateCancelled:
			continue
		case r.State == schema.StateOK:
			return count, last
		}
		if count++; last == nil {
			last = r
		}
	}
	return count, last
}

// failing says that the last runs failed, and why the newest of them did.
func (s *speaker) failing() string {
	count, last := s.x.failures()
	if last == nil {
		return ""
	}
	key := "failing"
	if count == 1 {
		key = "failing/one"
	}
	as := *s.x
	as.result, as.PlanTime = last, time.Time{}
	of := *s
	of.x = &as
	return s.say(key, "count", decimal(count), "at", s.at(last.WorkerID), "end", of.part("on", last.EndTime), "cause", of.failure())
}
