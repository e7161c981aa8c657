package wire

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Same reports that two values have the same meaning, in any encoding: the order of
// members does not count, nor how a number or a text is written. Numbers that a float64
// would round to one are two.
func Same(a, b Value) bool { return bytes.Equal(a.Canonical(), b.Canonical()) }

// Canonical returns v as the JSON that all values share which are [Same].
func (v Value) Canonical() []byte {
	w := NewWriter(JSON, nil)
	w.canonical(v.In(JSON))
	return w.Bytes()
}

func (w *Writer) canonical(v Value) {
	switch v.Kind() {
	case KindMap:
		w.BeginMap()
		members := map[string]Value{}
		names := make([]string, 0, 8)
		for name, member := range v.Map() {
			members[name] = member
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			w.KeyText(name)
			w.canonical(members[name])
		}
		w.EndMap()
	case KindList:
		w.BeginList()
		for _, element := range v.List() {
			w.canonical(element)
		}
		w.EndList()
	case KindText:
		s, _ := v.Text()
		w.Text(s)
	case KindFloat:
		if f, _ := v.Float(); v.isExact() {
			w.Float(f)
			return
		}
		w.Value(v)
	default:
		w.Value(v)
	}
}

// Rounded returns the first number in v that MessagePack cannot hold with all its digits, and
// the name of the member of v that it stands in; the zero Value: there is none.
func (v Value) Rounded() (member string, number Value) {
	if v.enc == MsgPack {
		return "", Value{}
	}
	switch v.Kind() {
	case KindFloat:
		if !v.isExact() {
			return "", v
		}
	case KindMap:
		for name, inner := range v.Map() {
			if _, number := inner.Rounded(); !number.IsZero() {
				return name, number
			}
		}
	case KindList:
		for _, element := range v.List() {
			if _, number := element.Rounded(); !number.IsZero() {
				return "", number
			}
		}
	}
	return "", Value{}
}

// isExact reports that a number is written like its float64, in the fewest digits that
// distinguish it from others, so that it loses no digits as one.
func (v Value) isExact() bool {
	if v.enc == MsgPack {
		return true
	}
	f, _ := v.Float()
	return decimal(string(v.raw)) == decimal(strconv.FormatFloat(f, 'e', -1, 64))
}

// A decimalNumber is 0.DIGITS × 10^exponent, its digits without zeros at either end.
type decimalNumber struct {
	negative bool
	digits   string
	exponent int64
}

// decimal reads a JSON number, or one of strconv; infinity has no digits that are a number's.
func decimal(text string) decimalNumber {
	var d decimalNumber
	text, d.negative = strings.CutPrefix(text, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	d.exponent, _ = strconv.ParseInt(exponent, 10, 64)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent += int64(len(whole))
	all := whole + fraction
	d.digits = strings.TrimLeft(all, "0")
	d.exponent -= int64(len(all) - len(d.digits))
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		d.exponent = 0
	}
	return d
}
