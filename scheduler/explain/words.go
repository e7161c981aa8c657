package explain

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// words are the texts of a language by key, in which names in braces are put in.
type words map[string]string

func wordsOf(lang schema.Lang) words {
	if lang == schema.LangChinese {
		return chinese
	}
	return english
}

// say returns the text of a key with the given values, each behind its name.
func (w words) say(key string, values ...string) string {
	pairs := make([]string, len(values))
	for i := 0; i+1 < len(values); i += 2 {
		pairs[i], pairs[i+1] = "{"+values[i]+"}", values[i+1]
	}
	return strings.NewReplacer(pairs...).Replace(w[key])
}

// has is the first of some keys that there is a text of.
func (w words) has(keys ...string) string {
	for _, k := range keys {
		if _, is := w[k]; is {
			return k
		}
	}
	return ""
}

// shown returns a name from outside with escapes for control characters and marks of the
// direction of writing, because they are invisible or change how the rest is read.
func shown(name string) string {
	plain := true
	for _, r := range name {
		plain = plain && strconv.IsPrint(r)
	}
	if plain {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
	}
	return b.String()
}

// clock writes a time of day, with the seconds unless they are 0.
func clock(t time.Time) string {
	if t.Second() == 0 {
		return t.Format("15:04")
	}
	return t.Format("15:04:05")
}

// number writes a number of seconds without needless digits.
func number(seconds float64) string {
	digits := 1000.0
	if seconds >= 10 {
		digits = 10
	}
	return strconv.FormatFloat(math.Round(seconds*digits)/digits, 'f', -1, 64)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
