package console

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	screen "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// pictures are those that docs/console.md shows. BUSY is the time in which the runs were.
var pictures = []struct {
	file, path string
	width      int64
	height     int64
}{
	{"console-plans", "/ui/plans?theme=light&lang=en", 1280, 620},
	{"console-plan", "/ui/plans/billing/invoices?theme=dark&lang=en", 1280, 760},
	{"console-new", "/ui/plans/new?station=reports&plan_id=digest&command=send&plan_type=cron&cron=30+2+*+*+*&timezone=Europe/Berlin&theme=light&lang=en", 1280, 760},
	{"console-zh", "/ui/plans/etl/clicks?theme=light&lang=zh", 390, 760},
	{"console-overview", "/ui/?theme=dark&lang=en", 1280, 760},
	{"console-timeline", "/ui/timeline?BUSY&theme=light&lang=en", 1280, 620},
	{"console-calendar", "/ui/calendar?theme=dark&lang=en", 1280, 760},
	{"console-stations", "/ui/stations?theme=light&lang=en", 1280, 480},
	{"console-tasks", "/ui/tasks?theme=light&lang=zh", 390, 760},
}

// mostOfAPicture bounds the bytes of each, because all clones have them.
const mostOfAPicture = 90_000

func pictureFile(name string) string { return filepath.Join("..", "..", "docs", name+".webp") }

// The pages show pictures of the console; -rewrite takes them anew.
func TestPictures(t *testing.T) {
	t.Parallel()
	if *rewrite {
		takePictures(t)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "console.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range pictures {
		switch about, err := os.Stat(pictureFile(one.file)); {
		case err != nil:
			t.Error(err)
		case about.Size() > mostOfAPicture || about.Size() < 5_000:
			t.Errorf("%s has %d bytes, want at most %d", one.file, about.Size(), mostOfAPicture)
		case !strings.Contains(string(text), "("+one.file+".webp)"):
			t.Errorf("docs/console.md does not show %s.webp", one.file)
		}
	}
}

func takePictures(t *testing.T) {
	s := serve(t, "--http-allow", "127.0.0.1")
	begun := time.Now()
	busy(t, s)
	withTasks(s)
	for name, path := range map[string]string{"warm the cache": "/", "sync stock": "/503"} {
		s.called(s.job(name, target(t)+path, body{}))
	}
	instant := func(at time.Time) string { return url.QueryEscape(at.UTC().Format(time.RFC3339)) }
	span := "from=" + instant(begun) + "&until=" + instant(time.Now().Add(time.Second))
	for _, one := range pictures {
		p := openPage(t, s, "/ui/login") // a page of its own has choices of its own
		p.do(chromedp.EmulateViewport(one.width, one.height))
		p.goTo(strings.Replace(one.path, "BUSY", span, 1))
		quality := int64(82)
		shot := ask(p, screen.CaptureScreenshot, screen.CaptureScreenshotParams{Format: "webp", Quality: &quality})
		if err := os.WriteFile(pictureFile(one.file), shot.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		p.quiet()
	}
}

// busy gives the program plans of several stations, workers that do most of it well, and runs.
func busy(t *testing.T, s *server) {
	t.Helper()
	often := body{"strategy": "fixed_period", "interval": 0.2, "max_error_count": 1}
	for _, one := range []struct {
		station, id, cron, zone string
		more                    body
	}{
		{"reports", "daily-digest", "0 9 * * mon-fri", "Europe/Berlin", body{"description": "Mails yesterday's figures", "labels": body{"team": "core"}}},
		{"reports", "monthly-close", "30 6 1 * *", "America/New_York", body{"description": "Closes the books", "labels": body{"team": "finance"}}},
		{"billing", "invoices", "*/15 8-18 * * mon-fri", "Europe/Berlin", body{"description": "Sends invoices that are due", "labels": body{"team": "finance"}}},
		{"backup", "nightly", "30 2 * * *", "Europe/Berlin", body{"description": "Copies the databases", "labels": body{"team": "ops"}}},
		{"mail", "reminders", "0 8 * * *", "Asia/Shanghai", body{"description": "Reminds of open tasks"}},
		{"etl", "clicks", "*/10 * * * *", "UTC", body{"overlap": "skip", "start_timeout": 0, "labels": body{"team": "data"}}},
	} {
		one.more["cron"], one.more["timezone"], one.more["retry"] = one.cron, one.zone, often
		s.create(one.station, one.id, one.more)
	}
	s.rest("POST", "/plans/mail/reminders/pause", body{"by": "ann", "note": "the text is being translated"})
	for _, station := range []string{"reports", "billing", "backup"} {
		worker := exec.Command(binary, "work", "--nats-url", s.nats, "--station", station, "--id", station+"-1", "--", "sh", "-c",
			`sleep 0.0$(($(od -An -N1 -tu1 /dev/urandom) % 9)); case $EXECUTION_COMMAND$PLAN_KEY in *[37]) echo "no answer from smtp.example.com:25" >&2; exit 1;; esac; echo '{"sent": 214, "bounced": 2}'`)
		if err := worker.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = worker.Process.Kill() // it may have ended
			_ = worker.Wait()
		})
	}
	for range 20 {
		for _, plan := range []string{"reports/daily-digest", "reports/monthly-close", "billing/invoices", "backup/nightly"} {
			s.rest("POST", "/plans/"+plan+"/trigger", body{})
			until(t, "the run of "+plan, func() bool {
				return s.plan(strings.Split(plan, "/")[0], strings.Split(plan, "/")[1])["status"] == "queued"
			})
		}
	}
	s.rest("POST", "/plans/etl/clicks/trigger", body{})
	s.rest("POST", "/plans/etl/clicks/trigger", body{})
}
