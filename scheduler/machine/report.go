package machine

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// reportTask takes in a worker's reply that came as a command, because the worker wants to know
// its effect. It is handled like any other reply; the answer joins its acknowledgement and the
// task's standing.
func reportTask(t *turn, c command.ReportTask) (command.TaskReported, error) {
	var word command.TaskReported
	before := len(t.Batch.Effects)
	t.ReplyReceived(event.ReplyReceived{From: &word, About: c.About, Reply: c.Reply})
	word.Ack.Ack = true // a stranger's reply is accepted too, and changes nothing
	for i := before; i < len(t.Batch.Effects); i++ {
		if a, ok := t.Batch.Effects[i].(event.Answer); ok && a.To == event.Asker(&word) {
			word.Ack = a.Body.(schema.Ack)
			t.Batch.Effects = append(t.Batch.Effects[:i], t.Batch.Effects[i+1:]...)
			break
		}
	}
	word.Task = t.viewTask(aboutReport(c))
	return word, nil
}
