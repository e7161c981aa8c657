package broker_test

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 512 << 10} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			nc := brokertest.Connect(b, brokertest.Server(b, brokertest.SyncAlways))
			s := brokertest.Store(b, nc)
			p := seize(b, s, "a")
			body := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			inJournal := 0
			for b.Loop() {
				seq, err := p.Append(b.Context(), body)
				if err != nil {
					b.Fatal(err)
				}
				if inJournal += size; inJournal > 64<<20 {
					b.StopTimer()
					if err := s.Journal(0).Purge(b.Context(), seq-1); err != nil {
						b.Fatal(err)
					}
					inJournal = 0
					b.StartTimer()
				}
			}
		})
	}
}

func BenchmarkChainWrite(b *testing.B) {
	nc := brokertest.Connect(b, brokertest.Server(b, brokertest.SyncAlways))
	s := brokertest.Store(b, nc)
	p := seize(b, s, "a")
	chain := s.TableChain(0)
	fence(b, chain, p, "a")
	msgs := make([]*nats.Msg, 999)
	value := make([]byte, 300)
	b.ReportAllocs()
	for b.Loop() {
		for i := range msgs {
			msgs[i] = s.Table(0).Set(fmt.Sprintf("state.hello.%026d", i), value)
		}
		if err := chain.Write(b.Context(), msgs, upTo(2)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*999/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkTableScan(b *testing.B) {
	const rows = 200_000
	nc := brokertest.Connect(b, brokertest.Server(b))
	s := brokertest.Store(b, nc)
	p := seize(b, s, "a")
	chain := s.TableChain(0)
	fence(b, chain, p, "a")
	value := make([]byte, 300)
	var msgs []*nats.Msg
	for i := range rows {
		msgs = append(msgs, s.Table(0).Set(fmt.Sprintf("state.hello.%026d", i), value))
		if len(msgs) == 999 || i == rows-1 {
			if err := chain.Write(b.Context(), msgs, upTo(2)); err != nil {
				b.Fatal(err)
			}
			msgs = msgs[:0]
		}
	}
	fence(b, chain, p, "a")
	for b.Loop() {
		n := 0
		err := s.Table(0).Scan(b.Context(), chain.Revision(), func(string, []byte, uint64) error { n++; return nil })
		if err != nil || n != rows+1 {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkResultsOf(b *testing.B) {
	nc := brokertest.Connect(b, brokertest.Server(b))
	s := brokertest.Store(b, nc)
	for i := range 100 {
		publish(b, nc, "scheduler.result.s.1", fmt.Append(make([]byte, 300), i))
	}
	for b.Loop() {
		n := 0
		err := s.Results().Of(b.Context(), "s", "1", func(broker.StoredResult) error { n++; return nil })
		if err != nil || n != 100 {
			b.Fatal(n, err)
		}
	}
}
