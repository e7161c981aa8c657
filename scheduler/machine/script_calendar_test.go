package machine

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// calendar puts a calendar in place of the one that there is.
func (s *story) calendar(record string) {
	v, err := wire.Scan([]byte(record), wire.Limits{})
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := schema.ParseCalendar(v)
	if err != nil {
		s.t.Fatal(err)
	}
	s.ask(command.PutCalendar{Calendar: c})
	s.until(s.now)
}
