package worker

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/schema"
)

// The table finds the same executions as a plain list.
func TestTableIsAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table table
		var list []*Execution
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				x := &Execution{N: rapid.Int64Range(1, 3).Draw(t, "n")}
				x.name = schema.ReplyName{Station: "hello", PlanID: rapid.SampledFrom([]string{"P1", "P2"}).Draw(t, "plan"), N: x.N}
				if nonce := rapid.IntRange(0, 2).Draw(t, "nonce"); nonce > 0 { // 0: no reply is wanted
					x.reply = fmt.Sprint(x.name, nonce)
				}
				known := slices.ContainsFunc(list, func(o *Execution) bool { return x.reply != "" && o.reply == x.reply })
				if table.add(x) == known {
					t.Fatalf("added %v though known: %v", x.name, known)
				}
				if !known {
					list = append(list, x)
				}
			},
			"remove": func(t *rapid.T) {
				if len(list) == 0 {
					t.Skip("empty")
				}
				i := rapid.IntRange(0, len(list)-1).Draw(t, "i")
				table.remove(list[i])
				list = slices.Delete(list, i, i+1)
			},
			"": func(t *rapid.T) {
				for _, plan := range []string{"P1", "P2"} {
					for n := range int64(4) {
						key := tableKey{"hello", plan, n}
						want := 0
						for _, x := range list {
							if keyOf(x) == key {
								want++
							}
						}
						if got := table.find(key); len(got) != want {
							t.Fatalf("%v: found %d of %d", key, len(got), want)
						}
					}
				}
				if table.size() != len(list) || len(table.all()) != len(list) {
					t.Fatalf("size %d, all %d, want %d", table.size(), len(table.all()), len(list))
				}
			},
		})
		for _, x := range list {
			table.remove(x)
		}
		if len(table.rows) > 0 {
			t.Fatalf("%d rows are left", len(table.rows))
		}
	})
}
