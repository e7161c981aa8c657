package bench

import (
	"bytes"
	"fmt"
	"math"
	"time"
)

// The picture's measures: two panels of one size, side by side.
const (
	panelWidth, panelHeight = 250.0, 230.0
	panelTop, panelLeft     = 50.0, 68.0
	panelGap                = 102.0
	pictureWidth            = panelLeft + 2*panelWidth + panelGap + 62
	pictureHeight           = panelTop + panelHeight + 58
)

// pictureStyle has no background, so that the page's shows. Its colours can be read on a light
// and on a dark page.
const pictureStyle = `<style>
text { font: 12px system-ui, sans-serif; fill: #6e7781 }
.title { font-size: 13px; font-weight: 600 }
.grid { stroke: #8b949e; stroke-opacity: .3 }
.line { fill: none; stroke-width: 2 }
.p50 { stroke: #2da44e } .p99 { stroke: #218bff } .longest { stroke: #bf8700; stroke-dasharray: 5 4 }
.dot { stroke: none } .dot.p50 { fill: #2da44e } .dot.p99 { fill: #218bff } .dot.longest { fill: #bf8700 }
@media (prefers-color-scheme: dark) { text { fill: #9ea7b3 } }
</style>
`

// A drawing is a picture under way, and the scale of its panels.
type drawing struct {
	bytes.Buffer
	low, high float64 // powers of ten of milliseconds
}

// picture draws points as SVG: the lateness of executions on the left, and the time until a
// result arrives on the right, over the share of the highest rate.
func picture(points []point, highest float64) []byte {
	d := &drawing{low: 0, high: 1}
	for _, p := range points {
		for _, took := range []time.Duration{p.Late.longest(), p.Received.longest()} {
			d.high = max(d.high, math.Ceil(math.Log10(max(millis(took), 1))))
		}
		for _, took := range []time.Duration{p.Late.quantile(0.5), p.Received.quantile(0.5)} {
			d.low = min(d.low, math.Floor(math.Log10(max(millis(took), 0.01))))
		}
	}
	fmt.Fprintf(d, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" role=\"img\">\n",
		pictureWidth, pictureHeight, pictureWidth, pictureHeight)
	fmt.Fprintf(d, "<title>Lateness and time until a result is received, at parts of the highest rate</title>\n%s", pictureStyle)
	d.panel(panelLeft, "executions are late by", points, func(p point) intervals { return p.Late })
	d.panel(panelLeft+panelWidth+panelGap, "results are received after", points, func(p point) intervals { return p.Received })
	fmt.Fprintf(d, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">share of the highest rate, %s executions/s</text>\n</svg>\n",
		panelLeft+panelWidth+panelGap/2, pictureHeight-8, number(math.Round(highest)))
	return d.Bytes()
}

// y returns the position of a duration on a scale of powers of ten.
func (d *drawing) y(took time.Duration) float64 {
	at := (math.Log10(max(millis(took), math.Pow(10, d.low))) - d.low) / (d.high - d.low)
	return math.Round(10*(panelTop+panelHeight*(1-at))) / 10
}

func (d *drawing) panel(left float64, title string, points []point, of func(point) intervals) {
	fmt.Fprintf(d, "<text class=\"title\" x=\"%g\" y=\"%g\">%s</text>\n", left, panelTop-22, title)
	for power := d.low; power <= d.high; power++ {
		took := time.Duration(math.Pow(10, power) * float64(time.Millisecond))
		fmt.Fprintf(d, "<line class=\"grid\" x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%[3]g\"/>\n", left, left+panelWidth, d.y(took))
		fmt.Fprintf(d, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%s ms</text>\n", left-6, d.y(took)+4, number(millis(took)))
	}
	x := func(share float64) float64 { return math.Round(10*(left+panelWidth*share)) / 10 }
	for _, p := range points {
		fmt.Fprintf(d, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%.0f %%</text>\n", x(p.Share), panelTop+panelHeight+18, 100*p.Share)
	}
	below := math.Inf(1) // the position of the label above
	for _, line := range []struct {
		name string
		of   func(intervals) time.Duration
	}{
		{"p50", func(l intervals) time.Duration { return l.quantile(0.50) }},
		{"p99", func(l intervals) time.Duration { return l.quantile(0.99) }},
		{"longest", intervals.longest},
	} {
		fmt.Fprintf(d, "<polyline class=\"line %s\" points=\"", line.name)
		for _, p := range points {
			fmt.Fprintf(d, "%g,%g ", x(p.Share), d.y(line.of(of(p))))
		}
		fmt.Fprintln(d, "\"/>")
		for _, p := range points {
			fmt.Fprintf(d, "<circle class=\"dot %s\" cx=\"%g\" cy=\"%g\" r=\"3\"/>\n", line.name, x(p.Share), d.y(line.of(of(p))))
		}
		last := points[len(points)-1]
		at := min(d.y(line.of(of(last)))+4, below-13) // so that labels do not overlap
		below = at
		fmt.Fprintf(d, "<text x=\"%g\" y=\"%g\">%s</text>\n", x(last.Share)+8, at, line.name)
	}
}
