package task_test

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// BenchmarkSubmit measures a task before its leader is asked: a batch has a thousand.
func BenchmarkSubmit(b *testing.B) {
	v, err := wire.Scan([]byte(`{"id":"01JABCDEFGHJKMNPQRSTV00001","type":"transcode","tenant_id":"7","ext":{"file":"a.mov"}}`), wire.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	t := &schema.TaskType{Code: "transcode"}
	b.ReportAllocs()
	for b.Loop() {
		s, err := task.ParseSubmit(v, made)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Plan(t); err != nil {
			b.Fatal(err)
		}
	}
}
