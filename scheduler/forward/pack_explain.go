package forward

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A packedExplained keeps the definition in its own encoding, whichever the rest is in.
type packedExplained struct {
	Known        schema.Explanation `json:"known"`
	Plan         []byte             `json:"plan"`
	Station      *schema.Station    `json:"station,omitempty"`
	ExecTimeout  int64              `json:"exec_timeout,omitempty"`  // in microseconds
	StartTimeout int64              `json:"start_timeout,omitempty"` // in microseconds
	Incarnation  uint64             `json:"incarnation"`
	NoTime       bool               `json:"no_time,omitempty"`
	Errors       int64              `json:"errors,omitempty"`
	LastError    *schema.LastError  `json:"last_error,omitempty"`
}

func packExplained(e command.Explained) packedExplained {
	return packedExplained{
		Known: e.Known, Plan: e.Plan.Raw(), Station: e.Station, Incarnation: e.Incarnation,
		NoTime: e.NoTime, Errors: e.Errors, LastError: e.LastError,
		ExecTimeout: e.Defaults.ExecTimeout.Microseconds(), StartTimeout: e.Defaults.StartTimeout.Microseconds(),
	}
}

func (p packedExplained) explained() command.Explained {
	return command.Explained{
		Known: p.Known, Plan: wire.Trust(wire.Detect(p.Plan), p.Plan), Station: p.Station, Incarnation: p.Incarnation,
		NoTime: p.NoTime, Errors: p.Errors, LastError: p.LastError,
		Defaults: schema.Defaults{
			ExecTimeout:  time.Duration(p.ExecTimeout) * time.Microsecond,
			StartTimeout: time.Duration(p.StartTimeout) * time.Microsecond,
		},
	}
}
