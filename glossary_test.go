package stationmaster_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// glossary are the terms that texts in two languages share. Where the English text has one, the
// Chinese text has its counterpart, so that the console and the sentences of the server use the
// same words. Names of the protocol, such as worker, are not translated.
var glossary = map[string]string{
	`workers?`: `worker|领取`, `stations?`: `站点`, `calendars?`: `日历`, `plans?`: `计划`, `occurrences?`: `次`, `executions?`: `执行`,
	`attempts?`: `尝试|次`, `retry|retries|tried again`: `重试|尝试`, `schedule`: `时间表`, `scheduler`: `调度器`, `due`: `到期`,
	`paused?|pauses`: `暂停`, `skips?|skipped`: `跳过|未执行`, `trigger(s|ed)?`: `触发`, `cancel(s|led)?`: `取消|cancelled`, `close[sd]?`: `关闭`,
	`removed?`: `删除`, `reset`: `重置`, `inbox`: `收件箱`, `labels?`: `标签`, `note`: `备注`, `tokens?`: `令牌`, `session`: `会话`, `search`: `搜索`,
}

// notTerms matches the parts of a text in which a word is not a term, which are values, names of
// fields and flags, and links.
var notTerms = regexp.MustCompile(`\$?\{[^}]*\}|\w+[._/]\w+|--[\w-]+|\w+: \w+|Skip to`)

func TestChineseTermsAreTheSameEverywhere(t *testing.T) {
	for name, texts := range map[string][2]map[string]string{
		"console":           {catalogueOf(t, "console/app/en.ts"), catalogueOf(t, "console/app/zh.ts")},
		"scheduler/explain": {wordsOf(t, "scheduler/explain/words_en.go"), wordsOf(t, "scheduler/explain/words_zh.go")},
	} {
		english, chinese := texts[0], texts[1]
		if len(english) < 150 {
			t.Fatalf("%s: only %d texts were found", name, len(english))
		}
		for key, text := range english {
			translated, there := chinese[key]
			if !there {
				t.Errorf("%s: %s is not in Chinese", name, key)
			}
			bare := notTerms.ReplaceAllString(text, "")
			for term, counterpart := range glossary {
				if regexp.MustCompile(`(?i)\b(`+term+`)\b`).MatchString(bare) && !regexp.MustCompile(counterpart).MatchString(translated) {
					t.Errorf("%s: %s is %q and in Chinese %q, without %s", name, key, text, translated, counterpart)
				}
			}
			if strings.Contains(translated, "触发") && !regexp.MustCompile(`(?i)trigger|by hand`).MatchString(text) {
				t.Errorf("%s: %s is %q and in Chinese %q: 触发 is a trigger, not an occurrence", name, key, text, translated)
			}
		}
	}
}

// wordsOf reads a map of texts in Go.
func wordsOf(t *testing.T, file string) map[string]string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`"([^"]+)":\s+"((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(string(source), -1) {
		all[m[1]] = m[2]
	}
	return all
}

// catalogueOf reads the texts of a catalogue in TypeScript, an object of objects, texts, lists and
// functions. Several texts of a key are one.
func catalogueOf(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	source := regexp.MustCompile(`\([^()]*\)\s*=>`).ReplaceAllString(string(text), "") // parameters are no keys
	isKey := regexp.MustCompile(`^\s*:`)
	word := regexp.MustCompile(`^[\w$]+`)
	all, key, outer := map[string]string{}, "", []string{}
	for i := 0; i < len(source); {
		rest := source[i:]
		switch c := source[i]; {
		case strings.HasPrefix(rest, "//"):
			i += strings.IndexByte(rest, '\n')
		case strings.HasPrefix(rest, "/*"):
			i += strings.Index(rest, "*/") + 2
		case strings.IndexByte("\"'`", c) >= 0:
			literal := rest[:literalEnd(rest)]
			i += len(literal)
			if isKey.MatchString(source[i:]) {
				key = literal[1 : len(literal)-1]
			} else if len(outer) > 0 {
				all[strings.Join(append(outer[1:len(outer):len(outer)], key), ".")] += literal[1 : len(literal)-1]
			}
		case word.MatchString(rest):
			name := word.FindString(rest)
			if i += len(name); isKey.MatchString(source[i:]) {
				key = name
			}
		default:
			if i++; c == '{' {
				outer = append(outer, key)
			} else if c == '}' {
				outer = outer[:len(outer)-1]
			}
		}
	}
	return all
}

// literalEnd is the length of the literal at the beginning of source; in a template another may be.
func literalEnd(source string) int {
	i, depth := 1, 0
	for ; source[i] != source[0] || depth > 0; i++ {
		switch {
		case source[i] == '\\':
			i++
		case source[0] == '`' && strings.HasPrefix(source[i:], "${"):
			depth++
			i++
		case depth > 0 && source[i] == '}':
			depth--
		case depth > 0 && source[i] == '`':
			i += literalEnd(source[i:]) - 1
		}
	}
	return i + 1
}
