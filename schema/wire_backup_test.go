package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// backupSamples is one value of every type that a backup consists of, and is restored
// with. The lines of a backup file are copies of plans, which stay readable for ever,
// because backups are kept.
func backupSamples(enc wire.Encoding) map[string]any {
	list := wire.NewWriter(enc, nil)
	list.BeginList()
	list.Text("item")
	list.EndList()
	plain := PlanCopy{Plan: wire.Text(enc, "the definition"), Record: wire.Text(enc, "the record")}
	inbox := PlanCopy{
		Raw: []byte{0x81, 0xa1, 'a', 1}, Encoding: "msgpack", Inbox: &sampleInbox, PlanTime: due,
		Items: &ItemsCopy{Raw: []byte{0x91, 7}, Encoding: "msgpack", RawData: []byte{0x80}, From: 3, Goes: true},
	}
	return map[string]any{
		"export":      Export{Limit: 5, Cursor: "x"},
		"export_page": ExportPage{Plans: []PlanCopy{plain, inbox}, Next: "x"},
		"plan_copy":   plain, "plan_copy_inbox": inbox,
		"restore":    Restore{Plans: []PlanCopy{inbox, plain}, OnConflict: ConflictKeep},
		"look_inbox": LookInbox{Station: "hello.eu", PlanID: "P1", From: 3, Limit: 5},
		"items_copy": ItemsCopy{Items: list.Whole(), Data: wire.MapOf(enc, nil, 0), From: 3, Next: 7},
	}
}
