package main

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var rewritePicture = flag.Bool("rewrite", false, "write docs/demo.svg anew from the demo's output")

const (
	// pictured is how much of the demo the picture shows.
	pictured = 9 * time.Second
	// performed is how long the demo runs for the test, because its cron plan has to be due, too.
	performed = 12 * time.Second
)

// A printedLine is a line of the demo, and when it came.
type printedLine struct {
	text string
	at   time.Duration
}

// demoPrints runs the demo and returns its lines, except the commands to try in another
// terminal.
func demoPrints(t *testing.T, length time.Duration, args ...string) []printedLine {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "stationmaster", append([]string{"demo", "--for", length.String()}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "TZ=UTC")
	var stderr bytes.Buffer
	out := &stamped{begun: time.Now()}
	cmd.Stdout, cmd.Stderr = out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("stationmaster demo: %v\n%s", err, stderr.Bytes())
	}
	var lines []printedLine
	trying := false
	for _, l := range out.lines {
		trying = trying && l.text != "" || strings.HasPrefix(l.text, "Try in another terminal")
		blank := l.text == "" && (len(lines) == 0 || lines[len(lines)-1].text == "")
		if !trying && !blank && l.text != "Ctrl-C ends it." {
			lines = append(lines, l)
		}
	}
	return lines
}

// stamped keeps each line with the time at which it was written.
type stamped struct {
	begun time.Time
	rest  string
	lines []printedLine
}

func (s *stamped) Write(p []byte) (int, error) {
	s.rest += string(p)
	for {
		line, rest, whole := strings.Cut(s.rest, "\n")
		if !whole {
			return len(p), nil
		}
		s.rest = rest
		s.lines = append(s.lines, printedLine{line, time.Since(s.begun)})
	}
}

// varies matches the parts that differ from one run to the next: times of day, how long a
// worker took, and ports.
var varies = regexp.MustCompile(`\d\d:\d\d:\d\d(\.\d{3})?|\b\d+(\.\d+)?(µs|ms|s)\b|127\.0\.0\.1:\d+`)

// The words of the README's picture are those that the program prints. `task picture` makes
// it again.
func TestThePictureShowsWhatTheDemoPrints(t *testing.T) {
	if testing.Short() {
		t.Skip("the demo takes 12 s")
	}
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "demo.svg")
	if *rewritePicture {
		lines := demoPrints(t, pictured)
		if err := os.WriteFile(path, drawTerminal(lines[:len(lines)-1]), 0o644); err != nil { // the last one has the counts
			t.Fatal(err)
		}
	}
	picture, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]bool{"$ stationmaster demo": true}
	for _, l := range demoPrints(t, performed, "--nats-listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0") {
		printed[varies.ReplaceAllString(l.text, "~")] = true
	}
	shown := wordsOf(t, picture)
	for _, line := range shown {
		if !printed[varies.ReplaceAllString(line, "~")] {
			t.Errorf("the demo does not print what docs/demo.svg shows, so go test ./cmd/stationmaster -run ThePicture -rewrite:\n%s", line)
		}
	}
	if len(shown) < 20 {
		t.Errorf("the picture has %d lines", len(shown))
	}
}

// wordsOf returns the lines of text in a picture.
func wordsOf(t *testing.T, picture []byte) []string {
	t.Helper()
	var svg struct {
		Lines []struct {
			Words string `xml:",chardata"`
			Spans []struct {
				Words string `xml:",chardata"`
			} `xml:"tspan"`
		} `xml:"text"`
	}
	if err := xml.Unmarshal(picture, &svg); err != nil {
		t.Fatal(err)
	}
	lines := make([]string, len(svg.Lines))
	for i, l := range svg.Lines {
		for _, s := range l.Spans {
			lines[i] += s.Words
		}
	}
	return lines
}

// The measures of the picture, in its own units.
const (
	charWidth, lineHeight = 8, 19
	margin, titleHeight   = 18, 30
)

// coloured matches the parts with a colour of their own in the drawn terminal.
var coloured = regexp.MustCompile(`^\$ |^\d\d:\d\d:\d\d\.\d{3}|→ (ok|error|running|waiting|retrying|closed)\b|no worker is at.*`)

var colours = map[string]string{
	"ok": "ok", "error": "bad", "retrying": "bad", "running": "busy", "waiting": "busy", "closed": "dim",
}

// drawTerminal draws lines as a terminal shows them, each appearing when it was printed. A
// viewer without animations shows all of them.
func drawTerminal(lines []printedLine) []byte {
	lines = append([]printedLine{{text: "$ stationmaster demo"}}, lines...)
	columns := 0
	for _, l := range lines {
		columns = max(columns, len([]rune(l.text)))
	}
	width, height := 2*margin+columns*charWidth, titleHeight+2*margin+len(lines)*lineHeight
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">
<title>What stationmaster demo prints</title>
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d7dae0; white-space: pre; animation: appear 1ms backwards }
.dim { fill: #7f8794 } .ok { fill: #7ec787 } .bad { fill: #f08d7d } .busy { fill: #e5c07b }
@keyframes appear { from { opacity: 0 } }
</style>
<rect width="%d" height="%d" rx="8" fill="#1e2128"/>
<circle cx="20" cy="17" r="5" fill="#f08d7d"/><circle cx="38" cy="17" r="5" fill="#e5c07b"/><circle cx="56" cy="17" r="5" fill="#7ec787"/>
`, width, height, width, height, width, height)
	for i, l := range lines {
		if l.text == "" {
			continue
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" xml:space="preserve" style="animation-delay:%.1fs">`, margin, titleHeight+margin+i*lineHeight, l.at.Seconds())
		drawLine(&b, l.text)
		b.WriteString("</text>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// drawLine writes a line as spans, in their colours.
func drawLine(b *bytes.Buffer, text string) {
	span := func(class, text string) {
		if text == "" {
			return
		}
		b.WriteString("<tspan")
		if class != "" {
			fmt.Fprintf(b, ` class="%s"`, class)
		}
		b.WriteByte('>')
		_ = xml.EscapeText(b, []byte(text)) // a buffer accepts everything
		b.WriteString("</tspan>")
	}
	done := 0
	for _, m := range coloured.FindAllStringSubmatchIndex(text, -1) {
		from, class := m[0], "dim"
		if m[2] >= 0 {
			from, class = m[2], colours[text[m[2]:m[3]]]
		}
		span("", text[done:from])
		span(class, text[from:m[1]])
		done = m[1]
	}
	span("", text[done:])
}
