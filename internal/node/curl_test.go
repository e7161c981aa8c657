package node_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Each curl of docs/rest.md is performed, in the order of the page, against a running node,
// and has the status on the page.
func TestTheCommandsOfTheRESTPage(t *testing.T) {
	calls := make(chan http.Header, 1)
	target := web(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Callback-Url") != "" {
			calls <- r.Header
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that a request was cancelled only after its body
		<-r.Context().Done()
	})
	s := open(t, local(t))
	defer http.DefaultClient.CloseIdleConnections()
	page, err := os.ReadFile("../../docs/rest.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("http://127.0.0.1:8080", "http://"+s.HTTPAddr(), "https://svc.example.org", target.URL).Replace(string(page))

	sh := shell{t: t, vars: map[string]string{}, answer: map[string]string{}, calls: calls}
	for i, block := range strings.Split(text, "```\n") {
		if i%2 == 1 { // the others stand between two blocks
			sh.run(block)
		}
	}
	if want := strings.Count(text, "curl -s"); want < 30 || sh.performed != want {
		t.Errorf("%d of %d commands were performed", sh.performed, want)
	}
}

// A shell understands the part of the language that the page needs: words, quotes,
// variables, comments, curl. A variable that is set to … takes its value from the answer
// before, or from the call that came.
type shell struct {
	t         *testing.T
	vars      map[string]string
	answer    map[string]string
	calls     <-chan http.Header
	performed int
}

var (
	assignment    = regexp.MustCompile(`(?s)^([A-Z_]+)=(.*)$`)
	variable      = regexp.MustCompile(`\$[A-Z_]+`)
	printedExec   = regexp.MustCompile(`"exec_id":"([^"]+)"`)
	printedStatus = regexp.MustCompile(`^# ([1-5]\d\d)\b`)
)

// run performs the commands of a block.
func (sh *shell) run(block string) {
	for block != "" {
		words, comment, rest := sh.line(block)
		block = rest
		for len(words) > 0 && assignment.MatchString(words[0]) {
			m := assignment.FindStringSubmatch(words[0])
			sh.set(m[1], m[2])
			words = words[1:]
		}
		if len(words) == 0 || words[0] != "curl" {
			continue
		}
		m := printedStatus.FindStringSubmatch(comment)
		if m == nil {
			sh.t.Fatalf("the page lacks the answer to %q", words)
		}
		want, _ := strconv.Atoi(m[1])
		sh.curl(words[1:], want)
	}
}

// line reads the words of the first line, and the comment behind them.
func (sh *shell) line(text string) (words []string, comment, rest string) {
	word, begun := "", false
	end := func() {
		if begun {
			words = append(words, word)
		}
		word, begun = "", false
	}
	for text != "" {
		c := text[0]
		switch {
		case c == '\'' || c == '"':
			quoted, behind, ok := strings.Cut(text[1:], string(c))
			if !ok {
				sh.t.Fatalf("a quote is not closed: %s", text)
			}
			if c == '"' {
				quoted = sh.expand(quoted)
			}
			word, begun, text = word+quoted, true, behind
			continue
		case c == '\n':
			end()
			return words, comment, text[1:]
		case c == ' ':
			end()
		case c == '#' && !begun:
			comment, text, _ = strings.Cut(text, "\n")
			return words, comment, text
		case c == '$':
			name := variable.FindString(text)
			word, begun, text = word+sh.expand(name), true, text[len(name):]
			continue
		default:
			word, begun = word+string(text[:1]), true
		}
		text = text[1:]
	}
	end()
	return words, comment, ""
}

// expand puts in the variables.
func (sh *shell) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		value, ok := sh.vars[name[1:]]
		if !ok {
			sh.t.Fatalf("%s is not set", name)
		}
		return value
	})
}

// set gives a variable its value.
func (sh *shell) set(name, value string) {
	if value != "…" {
		sh.vars[name] = value
		return
	}
	if name == "CALLBACK_URL" {
		select {
		case h := <-sh.calls:
			sh.answer[name], sh.answer["TOKEN"] = h.Get("X-Callback-Url"), h.Get("X-Callback-Token")
		case <-time.After(patience):
			sh.t.Fatal("the target was not called")
		}
	}
	if sh.vars[name] = sh.answer[name]; sh.vars[name] == "" {
		sh.t.Fatalf("no answer has a value for %s", name)
	}
}

// curl performs a request.
func (sh *shell) curl(args []string, want int) {
	var method, url, body string
	header := http.Header{}
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		value := func() string {
			v := args[0]
			args = args[1:]
			return v
		}
		switch word {
		case "-s", "-i", "-sN":
		case "-X":
			method = value()
		case "-H":
			name, text, _ := strings.Cut(value(), ": ")
			header.Set(name, text)
		case "-d":
			body = value()
			if method == "" {
				method = http.MethodPost
			}
		default:
			url = word
		}
	}
	sh.performed++
	ctx, cancel := context.WithTimeout(sh.t.Context(), patience)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		sh.t.Fatal(err)
	}
	q.Header = header
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		sh.t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != want {
		data, _ := io.ReadAll(r.Body)
		sh.t.Fatalf("%s %s is answered with %d, and the page has %d: %s", method, url, r.StatusCode, want, data)
	}
	sh.remember(r)
}

// remember keeps the request that variables are set from.
func (sh *shell) remember(r *http.Response) {
	sh.answer["ETAG"] = r.Header.Get("ETag")
	if r.Header.Get("Content-Type") != "application/json" {
		return
	}
	var printed struct {
		ID  string `json:"id"`
		Run string `json:"run_id"`
	}
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, &printed)
	}
	if err != nil {
		sh.t.Fatal(err)
	}
	sh.answer["ID"], sh.answer["RUN"], sh.answer["EXEC"] = printed.ID, printed.Run, ""
	if m := printedExec.FindSubmatch(data); m != nil {
		sh.answer["EXEC"] = string(m[1])
	}
}
