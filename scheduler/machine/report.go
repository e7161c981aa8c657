package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// report takes in a worker's word that came as a command, of which the worker wants to know
// what became. It is heard like any other; its acknowledgement is answered together with
// where the task stands.
func (t *turn) report(c schema.ReportTask, from event.Asker) {
	t.suspect.asked = false // it is a worker's word, which is said again
	var word schema.TaskWord
	said := len(t.b.Effects)
	t.heard(event.Heard{From: &word, About: c.About, Reply: c.Reply})
	word.Ack.Ack = true // a stranger's word is taken too, and changes nothing
	for i := said; i < len(t.b.Effects); i++ {
		if a, ok := t.b.Effects[i].(event.Answer); ok && a.To == event.Asker(&word) {
			word.Ack = a.Body.(schema.Ack)
			t.b.Effects = append(t.b.Effects[:i], t.b.Effects[i+1:]...)
			break
		}
	}
	word.Look = t.lookTask(schema.PlanName{Station: c.About.Station, PlanID: c.About.PlanID})
	t.b.Answer(from, word, nil)
}
