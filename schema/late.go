package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// A Late explains why an execution began more than a second after its occurrence was due: the
// seconds by cause, 0 being left out. Together they are how late it was, as far as that is known.
// The time before the plan was accepted has no cause: where there was no other, there is no Late.
type Late struct {
	Worker  float64 `json:"worker,omitempty"`  // no worker was there
	Claim   float64 `json:"claim,omitempty"`   // it was offered, and not claimed
	Room    float64 `json:"room,omitempty"`    // a limit
	Turn    float64 `json:"turn,omitempty"`    // an earlier occurrence
	Retry   float64 `json:"retry,omitempty"`   // earlier attempts, and the delays behind them
	Jitter  float64 `json:"jitter,omitempty"`  // its share of the jitter
	Lock    float64 `json:"lock,omitempty"`    // an inbox that was handed over
	Person  float64 `json:"person,omitempty"`  // a person had to act
	Resume  float64 `json:"resume,omitempty"`  // the plan was paused
	Journal float64 `json:"journal,omitempty"` // too many results waited to be stored
	Absent  float64 `json:"absent,omitempty"`  // no scheduler led
}

// AppendTo writes l.
func (l *Late) AppendTo(w *wire.Writer) {
	w.BeginMap()
	for _, s := range [...]struct {
		name    wire.Name
		seconds *float64
	}{
		{"worker", &l.Worker}, {"claim", &l.Claim}, {"room", &l.Room}, {"turn", &l.Turn}, {"retry", &l.Retry}, {"jitter", &l.Jitter},
		{"lock", &l.Lock}, {"person", &l.Person}, {"resume", &l.Resume}, {"journal", &l.Journal}, {"absent", &l.Absent},
	} {
		if *s.seconds != 0 {
			writeFloat(w, s.name, s.seconds)
		}
	}
	w.EndMap()
}
