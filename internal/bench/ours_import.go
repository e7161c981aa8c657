package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// imports measures the time to create many plans by plans.import, one request after
// the other.
type imports struct{ Plans int }

type importFigures struct {
	Took time.Duration
	// BytesPerPlan is the growth of the whole process: scheduler, embedded server, and
	// the memory that the runtime keeps. 0: this system does not show it.
	BytesPerPlan float64
}

// run measures once, on a site with its store in a new folder in dir. It fails unless
// all plans are listed afterwards.
func (i imports) run(ctx context.Context, dir string, log *slog.Logger) (_ importFigures, err error) {
	s, err := startSite(ctx, dir, log)
	if err != nil {
		return importFigures{}, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	c, _, err := s.client(ctx, "publisher")
	if err != nil {
		return importFigures{}, err
	}
	before, err := residentBytes()
	if err != nil {
		return importFigures{}, err
	}
	took, err := i.fill(ctx, s)
	if err != nil {
		return importFigures{}, err
	}
	after, err := residentBytes()
	if err != nil {
		return importFigures{}, err
	}
	return importFigures{Took: took, BytesPerPlan: float64(after-before) / float64(i.Plans)}, holds(ctx, c, int64(i.Plans))
}

// fill creates the plans, and returns the time that it took.
func (i imports) fill(ctx context.Context, s *site) (time.Duration, error) {
	c, _, err := s.client(ctx, "importer")
	if err != nil {
		return 0, err
	}
	plans := plansOf(i.Plans, idle(time.Now()), nil)
	began := time.Now()
	if err := importAll(ctx, c, plans); err != nil {
		return 0, err
	}
	return time.Since(began), nil
}

// residentBytes returns the memory of this process in RAM, once free memory has been
// returned to the system. 0 where the system does not show it.
func residentBytes() (int64, error) {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the size of this process: %w", err)
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, fmt.Errorf("read the size of this process: %q", text)
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the size of this process: %w", err)
	}
	return pages * int64(os.Getpagesize()), nil
}
