package wire

import (
	"iter"
	"math"
	"strings"
)

// longestGuess bounds the names that are compared, because a longer one is no typing error.
const longestGuess = 64

// Nearest returns the known name that was probably meant by an unknown one: a slip of the
// finger, another case, another word separator, or else the first or last words of it
// alone. Empty: none is near.
func Nearest(given string, known iter.Seq[string]) string {
	if len(given) > longestGuess {
		return ""
	}
	best, least := "", math.MaxInt
	folded := fold(given)
	for name := range known {
		if len(name) > 2*longestGuess {
			continue
		}
		if d := distance(folded, fold(name)); d < least && d <= max(1, len(name)/3) {
			best, least = name, d
		}
	}
	if best != "" || len(given) < 3 {
		return best
	}
	for name := range known {
		short, long := given, name
		if len(short) > len(long) {
			short, long = long, short
		}
		if rest, is := cutWords(long, short); is && rest != "" {
			return name
		}
	}
	return ""
}

// cutWords takes the first or last words of a name away.
func cutWords(name, words string) (rest string, is bool) {
	for _, sep := range []string{"_", "-"} {
		if rest, is = strings.CutPrefix(name, words+sep); is {
			return rest, true
		}
		if rest, is = strings.CutSuffix(name, sep+words); is {
			return rest, true
		}
	}
	return "", false
}

func fold(s string) string { return separators.Replace(strings.ToLower(s)) }

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// distance counts the letters to insert, delete, replace, or exchange with the next one, to
// make a into b.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
