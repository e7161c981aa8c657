package simulate

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A picture is the content of an SVG drawing.
type picture struct {
	Width, Height int
	Caption       string
	Unit          string // of the columns of a chart
	Bars          []rect
	Shades        []shade // cells of a heat map
	Columns       []rect  // over them, with the texts of their days
	Lines         []segment
	Texts         []label
}

// A rect is a bar. Class is its style.
type rect struct {
	X, Y, W, H   string
	Class, Title string
}

// A shade is the cells of one opacity, as the path of an SVG, because a year has thousands.
type shade struct{ Opacity, Cells string }

type segment struct{ X1, Y1, X2, Y2 string }

type label struct{ X, Y, Text, Anchor, Class string }

const (
	pictureWidth = 960
	leftMargin   = 56 // of the scale of a chart
	chartHeight  = 180
	// mostBarHours is up to how many hours a chart has a bar for each.
	mostBarHours = 14 * 24
	// mostDays is how many columns of days a heat map has; a column stands for several days of
	// a longer time.
	mostDays = 366
	// shadesOfHours is the number of loads that a heat map distinguishes.
	shadesOfHours = 16
)

func px(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// loadPicture shows the executions that begin in each hour: as bars, or over more than two weeks
// as a map of hours by days.
func (r *Report) loadPicture() *picture {
	if len(r.Hours) == 0 {
		return nil
	}
	from := r.Hours[0].At
	hours := int(r.Hours[len(r.Hours)-1].At.Sub(from)/time.Hour) + 1
	most := int64(0)
	for _, h := range r.Hours {
		most = max(most, h.Executions)
	}
	if hours > mostBarHours {
		return r.heatMap()
	}
	p := &picture{Width: pictureWidth, Height: chartHeight + 40, Unit: "hour"}
	width := float64(pictureWidth-leftMargin-8) / float64(hours)
	for _, part := range []int64{0, 1, 2} {
		y := 8 + float64(chartHeight)*(1-float64(part)/2)
		p.Lines = append(p.Lines, segment{px(leftMargin), px(y), px(pictureWidth - 8), px(y)})
		if part == 0 || most*part%2 == 0 {
			p.Texts = append(p.Texts, label{X: px(leftMargin - 6), Y: px(y + 4), Text: fmt.Sprint(most * part / 2), Anchor: "end"})
		}
	}
	for _, h := range r.Hours {
		x := leftMargin + width*float64(h.At.Sub(from)/time.Hour)
		height := float64(chartHeight) * float64(h.Executions) / float64(most)
		p.Bars = append(p.Bars, rect{
			X: px(x), Y: px(8 + chartHeight - height), W: px(max(0.5, min(width*0.86, 40))), H: px(height),
			Title: fmt.Sprintf("%s: %d executions", stamp(h.At), h.Executions),
		})
	}
	p.timeAxis(from, hours, width)
	return p
}

// timeAxis writes up to eight times below a chart of hours.
func (p *picture) timeAxis(from time.Time, hours int, width float64) {
	step := max(1, (hours+7)/8)
	if step > 12 {
		step = (step + 23) / 24 * 24
	}
	for h := 0; h < hours; h += step {
		form := "Jan 2 15:04"
		if step >= 24 {
			form = "Mon Jan 2 15:04"
		}
		p.Texts = append(p.Texts, label{
			X: px(leftMargin + width*float64(h)), Y: px(chartHeight + 28), Text: from.Add(time.Duration(h) * time.Hour).Format(form),
		})
	}
}

// heatMap shows the load of each hour of the day, day by day.
func (r *Report) heatMap() *picture {
	first := r.Hours[0].At.Truncate(24 * time.Hour)
	days := int(r.Hours[len(r.Hours)-1].At.Sub(first)/(24*time.Hour)) + 1
	each := (days + mostDays - 1) / mostDays
	columns := (days + each - 1) / each
	cells := make([][24]int64, columns)
	most := int64(1)
	for _, h := range r.Hours {
		cell := &cells[int(h.At.Sub(first)/(24*time.Hour))/each][h.At.Hour()]
		*cell += h.Executions
		most = max(most, *cell)
	}
	p := &picture{Width: pictureWidth, Height: 24*9 + 40, Unit: "hour of each day"}
	width := float64(pictureWidth-leftMargin-8) / float64(columns)
	cell := min(max(width-0.3, 0.4), 30)
	var shades [shadesOfHours]strings.Builder
	for column := range cells {
		x, day := leftMargin+width*float64(column), first.AddDate(0, 0, column*each)
		total, busiest := int64(0), 0
		for hour, n := range cells[column] {
			if total += n; n > cells[column][busiest] {
				busiest = hour
			}
			if n > 0 {
				fmt.Fprintf(&shades[(n*shadesOfHours-1)/most], "M%s %dh%sv8h-%sz", px(x), 8+hour*9, px(cell), px(cell))
			}
		}
		if total > 0 {
			p.Columns = append(p.Columns, rect{X: px(x), Y: "8", W: px(cell), H: strconv.Itoa(24 * 9), Title: fmt.Sprintf(
				"%s: %d executions, %d of them from %02d:00 to %02d:00", day.Format(time.DateOnly), total, cells[column][busiest], busiest, busiest+1)})
		}
		if column%max(1, (columns+7)/8) == 0 {
			p.Texts = append(p.Texts, label{X: px(x), Y: px(24*9 + 28), Text: day.Format(time.DateOnly)})
		}
	}
	for i := range shades {
		if shades[i].Len() > 0 {
			opacity := 0.12 + 0.88*float64(i+1)/shadesOfHours
			p.Shades = append(p.Shades, shade{strconv.FormatFloat(opacity, 'f', 2, 64), shades[i].String()})
		}
	}
	for hour := 0; hour < 24; hour += 6 {
		p.Texts = append(p.Texts, label{X: px(leftMargin - 6), Y: px(16 + float64(hour)*9), Text: fmt.Sprintf("%02d:00", hour), Anchor: "end"})
	}
	return p
}

// busiestPicture shows the busiest minutes.
func (r *Report) busiestPicture() *picture {
	if len(r.Busiest) == 0 {
		return nil
	}
	const row, names = 22, 150
	p := &picture{Width: pictureWidth, Height: len(r.Busiest)*row + 8}
	most := r.Busiest[0].Executions
	for i, m := range r.Busiest {
		y := float64(4 + i*row)
		width := float64(pictureWidth-names-90) * float64(m.Executions) / float64(most)
		p.Bars = append(p.Bars, rect{X: px(names), Y: px(y), W: px(max(width, 1)), H: "16.0", Title: stamp(m.At)})
		p.Texts = append(p.Texts,
			label{X: "0", Y: px(y + 12), Text: stamp(m.At), Class: "name"},
			label{X: px(names + width + 8), Y: px(y + 12), Text: fmt.Sprint(m.Executions)})
	}
	return p
}

// mostLanes bounds the plans whose lanes are drawn.
const mostLanes = 30

// lanesPicture shows the executions of the plans that met, a lane for each.
func (r *Report) lanesPicture() *picture {
	m := r.Meeting
	if m == nil {
		return nil
	}
	const row, names, top = 20, 220, 4
	lanes := map[schema.PlanName]int{}
	var order []schema.PlanName
	from, until := m.From, m.Until
	for _, b := range m.Bars {
		if name := (schema.PlanName{Station: b.Station, PlanID: b.PlanID}); len(lanes) < mostLanes {
			if _, is := lanes[name]; !is {
				lanes[name] = len(lanes)
				order = append(order, name)
			}
		}
	}
	p := &picture{Width: pictureWidth, Height: top + len(lanes)*row + 26}
	p.Caption = fmt.Sprintf("%d plans had executions that ended from %s to %s, more than in any other ten minutes", m.Plans, stamp(from), stamp(until))
	if len(lanes) < m.Plans {
		p.Caption += fmt.Sprintf("; %d of them are shown", len(lanes))
	}
	scale := float64(pictureWidth-names-8) / float64(until.Sub(from))
	at := func(t time.Time) float64 { return names + scale*float64(max(0, min(t.Sub(from), until.Sub(from)))) }
	for _, b := range m.Bars {
		lane, is := lanes[schema.PlanName{Station: b.Station, PlanID: b.PlanID}]
		if !is {
			continue
		}
		class := "ok"
		if b.State != schema.StateOK {
			class = "bad"
		}
		p.Bars = append(p.Bars, rect{
			X: px(at(b.Begin)), Y: px(float64(top + lane*row + 3)), W: px(max(1.5, at(b.End)-at(b.Begin))), H: "13.0", Class: class,
			Title: fmt.Sprintf("%s/%s: %s to %s, %s", b.Station, b.PlanID, b.Begin.Format("15:04:05"), b.End.Format("15:04:05"), b.State),
		})
	}
	bottom := top + len(lanes)*row
	for lane, name := range order {
		p.Lines = append(p.Lines, segment{"0", px(float64(top + (lane+1)*row)), px(pictureWidth), px(float64(top + (lane+1)*row))})
		p.Texts = append(p.Texts, label{X: "0", Y: px(float64(top + lane*row + 14)), Text: shortened(name.String()), Class: "name"})
	}
	for minute := 0; minute <= 10; minute += 2 {
		t := from.Add(time.Duration(minute) * time.Minute)
		p.Texts = append(p.Texts, label{X: px(min(at(t), pictureWidth-36)), Y: px(float64(bottom + 18)), Text: t.Format("15:04")})
	}
	return p
}

// shortened is a name that fits beside its lane.
func shortened(name string) string {
	const most = 32
	if len(name) <= most {
		return name
	}
	return name[:most-1] + "…"
}
