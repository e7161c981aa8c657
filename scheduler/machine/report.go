package machine

import "github.com/stationmaster-io/stationmaster/schema"

// report takes in a worker's word that came as a command, of which the worker wants to know
// what became. It is heard like any other; its acknowledgement is answered together with
// where the task stands.
func (m *Machine) report(c schema.ReportTask, from Asker, now moment, b *Batch) {
	m.suspect.asked = false // it is a worker's word, which is said again
	var word schema.TaskWord
	said := len(b.Effects)
	m.heard(now, Heard{From: &word, About: c.About, Reply: c.Reply}, b)
	word.Ack.Ack = true // a stranger's word is taken too, and changes nothing
	for i := said; i < len(b.Effects); i++ {
		if a, ok := b.Effects[i].(Answer); ok && a.To == Asker(&word) {
			word.Ack = a.Body.(schema.Ack)
			b.Effects = append(b.Effects[:i], b.Effects[i+1:]...)
			break
		}
	}
	word.Look = m.lookTask(schema.PlanName{Station: c.About.Station, PlanID: c.About.PlanID}, now)
	b.answer(from, word, nil)
}
