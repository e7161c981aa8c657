package schema

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const typicalPlan = `{"station":"hello","command":"greet","request_id":"r-000123","caller":"billing",` +
	`"description":"greets everyone","messages":["first frame",{"name":"world","n":42}],` +
	`"plan_type":"second","plan_value":10,"plan_repet":-1,"exec_timeout":30,` +
	`"retry":{"strategy":"fixed_period","interval":5},"labels":{"team":"core"}}`

func eachEncoding(b *testing.B, f func(b *testing.B, enc wire.Encoding)) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		b.Run(enc.String(), func(b *testing.B) {
			b.ReportAllocs()
			f(b, enc)
		})
	}
}

func BenchmarkParsePlan(b *testing.B) {
	eachEncoding(b, func(b *testing.B, enc wire.Encoding) {
		v := scanned(b, typicalPlan).In(enc)
		for b.Loop() {
			if _, err := ParsePlan(v, ParseOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkMarshalPlan(b *testing.B) {
	again, forever := int64(0), int64(-1)
	p := Plan{Station: "hello", Command: "greet", PlanID: "01J0000000000000000000000P", Schedule: Schedule{PlanType: TypeSecond, PlanValue: &again,
		PlanRepet: &forever}, Messages: []wire.Value{wire.Text(wire.JSON, "0123456789abcdef0123456789abcdef")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.Marshal(wire.JSON, &p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadDefinition(b *testing.B) {
	eachEncoding(b, func(b *testing.B, enc wire.Encoding) {
		d, err := ParsePlan(scanned(b, typicalPlan).In(enc), ParseOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := LoadDefinition(d.Raw); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkParseReply(b *testing.B) {
	eachEncoding(b, func(b *testing.B, enc wire.Encoding) {
		body := scanned(b, `{"state":"ok","content":{"greeted":"world"},"worker_id":"01JABCDEF"}`).In(enc).Raw()
		for b.Loop() {
			if r, _ := ParseReply(nil, body, enc); r.State != StateOK {
				b.Fatal(r)
			}
		}
	})
}

func BenchmarkParseReplySubject(b *testing.B) {
	b.ReportAllocs()
	s := Space{}
	subject := s.Reply(0, "hello", "01JABCDEFGHJKMNPQRSTVWXYZ0", "31-0123456789abcdef")
	for b.Loop() {
		if _, ok := s.ParseReply(subject); !ok {
			b.Fatal(subject)
		}
	}
}

func BenchmarkExecution(b *testing.B) {
	eachEncoding(b, func(b *testing.B, enc wire.Encoding) {
		d, err := ParsePlan(scanned(b, typicalPlan).In(enc), ParseOptions{})
		if err != nil {
			b.Fatal(err)
		}
		e := Execution{
			Occurrence: 3, Attempt: 1, Exec: "3-0123456789abcdef", Key: "hello/01J/1/3", Epoch: 1767225600000,
			PlanTime: time.Unix(1767225600, 0), Deadline: time.Unix(1767225660, 0), Priority: 5,
		}
		var w wire.Writer
		buf := make([]byte, 0, 1024)
		b.Run("write", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.Reset(enc, buf)
				e.AppendTo(&w, d.Shared, d.SharedCount)
			}
		})
		body := append([]byte(nil), w.Bytes()...)
		b.Run("read", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v, err := wire.Scan(body, wire.Limits{})
				if err != nil {
					b.Fatal(err)
				}
				var got Execution
				if err := wire.DecodeLoose(v, &got); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

func scanned(t testing.TB, body string) wire.Value {
	t.Helper()
	v, err := wire.Scan([]byte(body), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
