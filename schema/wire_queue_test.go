package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// sampleInbox sets every field of where an inbox stands.
var sampleInbox = InboxState{
	Key: "-orders", Length: 5, Bytes: 99, Locked: 2, Mark: true, Manner: MannerTell, AbandonAfter: 3600,
}

// queueSamples is one value of every type that pushes and the services queues.* speak.
func queueSamples(enc wire.Encoding) map[string]any {
	items := []wire.Value{wire.Text(enc, "item"), wire.MapOf(enc, nil, 0)}
	queue := Queue{
		Key: "orders/POST/aHR0cDovL2Eub3Jn", Station: "queue", PlanID: "q_1", Method: "POST", Service: "http://a.org",
		Length: 5, Bytes: 99, Locked: 2, Overwrite: true, Status: StatusExecuting, OnTime: 1772359200,
		LastState: StateOK, LastTime: 1772359100,
	}
	waiting := PlanState{
		Status: StatusExecuting, Revision: 12, Inbox: &sampleInbox,
		Open: []OpenOccurrence{{Occurrence: 3, PlanTime: due, Executions: []OpenExecution{
			{N: 4, Attempt: 1, State: StateRunning, WorkerID: "w1", Deadline: later, PingExpireTime: later},
		}}},
	}
	told, unanswered := queue, sampleInbox
	told.Notified, unanswered.Notified = 7, 7
	failing, failed := queue, sampleInbox
	failing.Errors, failing.LastError, failing.ErrorTime = 4, "no such codec", 1772359100
	failed.Errors, failed.LastError = 4, &sampleError
	failedOnce := PlanState{Status: StatusQueued, Revision: 12, Inbox: &failed}
	retrying := PlanState{
		Status: StatusRetrying, Revision: 12,
		Open: []OpenOccurrence{{Occurrence: 3, PlanTime: due, NextTry: later, Errors: 2, LastError: &sampleError}},
	}
	inForce := InForce{Policy: samplePl, From: map[string]Source{"overlap": SourcePlan}}
	return map[string]any{
		"get_plan":          GetPlanRequest{Station: "hello.eu", PlanID: "P1", InForce: true},
		"plan_view_force":   PlanView{Plan: wire.Text(enc, "the definition"), State: PlanState{Status: StatusQueued, SkipNext: -1, Incarnation: 7}, InForce: &inForce},
		"plan_view_retry":   PlanView{Plan: wire.Text(enc, "the definition"), State: retrying},
		"queue_failing":     failing,
		"plan_view_failing": PlanView{Plan: wire.Text(enc, "the definition"), State: failedOnce},
		"plan_view_inbox":   PlanView{Plan: wire.Text(enc, "the definition"), State: waiting},
		"push":              Push{Station: "hello.eu", PlanID: "P1", Item: wire.Text(enc, "item"), PlanTime: due, Retime: RetimeAlways, Plan: wire.Text(enc, "a definition")},
		"pushed":            Pushed{PlanID: "P1", Station: "hello.eu", State: StatusQueued, PlanTime: due, Length: 5},
		"queue_target":      QueueTarget{Key: "orders", Method: "POST", Service: "http://a.org"},
		"queue_push": QueuePush{
			Key: "orders", Task: wire.Text(enc, "a task"), Data: wire.Text(enc, "data"), OnTime: due, Update: UpdateAlways,
			AbandonAfter: 60, Method: "POST", Service: "http://a.org", Station: "hello.eu",
		},
		"queue_pushed":    QueuePushed{Key: "orders", Length: 5, OnTime: 1772359200},
		"queue_warned":    QueuePushed{Key: "orders", Length: 1, Warning: "nobody hands it over"},
		"queue_get":       QueueGet{Key: "orders", Number: ptr[int64](2), Timeout: ptr[Seconds](60), Random: "r"},
		"queue_got":       QueueGot{Key: "orders", Tasks: items, Data: wire.Text(enc, "data"), Length: 5},
		"queue_complete":  QueueComplete{Key: "orders", Number: ptr[int64](2), Random: "r"},
		"queue_completed": QueueCompleted{Key: "orders", Length: 5},
		"queue_release":   QueueRelease{Key: "orders", Random: "r", OnTime: due},
		"queue_released":  QueueReleased{Key: "orders", OnTime: 1772359200},
		"queue_name":      QueueName{Key: "orders"},
		"queue_deleted":   QueueDeleted{Key: "orders", Deleted: 5},
		"queue_dry":       QueueDeleted{Key: "orders", Deleted: 5, DryRun: true},
		"queue":           queue,
		"queue_notified":  told,
		"inbox_notified":  unanswered,
		"list_queues":     ListQueues{Station: "hello.eu", Text: "t", Limit: 5, Cursor: "x"},
		"queue_page":      QueuePage{Queues: []Queue{queue}, Next: "x"},
		"queue_retried":   QueueRetried{Key: "orders", State: StatusQueued},
	}
}
