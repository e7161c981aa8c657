package broker

import (
	"context"
	"log/slog"
	"time"
)

// A trouble is one write that did not go through at the first attempt. It paces
// the further ones, and tells the log when it lasts: a single refusal that a look
// clears up is daily life on a cluster.
type trouble struct {
	pause pause
	since time.Time
	tries int
	told  bool
}

const troubleTold = time.Second

func (t *trouble) note(log *slog.Logger, stream string, err error) {
	t.tries++
	if t.since.IsZero() {
		t.since = time.Now()
	}
	if !t.told && time.Since(t.since) >= troubleTold {
		t.told = true
		log.Warn("write does not go through; trying on", "stream", stream, "tries", t.tries, "error", err)
	}
}

func (t *trouble) over(log *slog.Logger, stream string) {
	if t.told {
		log.Warn("write went through", "stream", stream, "tries", t.tries, "took", time.Since(t.since))
	}
}

// persist calls do until it succeeds or fails for good.
func persist(ctx context.Context, log *slog.Logger, stream string, do func() error) error {
	var t trouble
	for {
		err := do()
		if err == nil {
			t.over(log, stream)
			return nil
		}
		if final(ctx, err) {
			return cause(ctx, err)
		}
		t.note(log, stream, err)
		if err := t.pause.wait(ctx); err != nil {
			return err
		}
	}
}
