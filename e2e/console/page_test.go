package console

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A page is a tab of the browser with a profile of its own. Elements are found by their role and
// accessible name, as the browser computes them for a reader who does not see the page.
type page struct {
	t   *testing.T
	s   *server
	ctx context.Context

	mu       sync.Mutex
	trouble  []string // the complaints of the browser
	requests []string // addresses that were asked for
}

// openPage opens a page of the console, and waits for its first answer.
func openPage(t *testing.T, s *server, path string) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	p := &page{t: t, s: s, ctx: ctx}
	t.Cleanup(func() {
		if t.Failed() {
			p.keep()
		}
		cancel()
	})
	if err := chromedp.Do(ctx); err != nil { // without a timeout, which would end the tab
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	ask(p, network.Enable, network.EnableParams{})
	ask(p, log.Enable, cdp.Empty{})
	p.do(chromedp.EmulateViewport(1280, 900))
	p.goTo(path)
	return p
}

// ask sends a command of the browser's protocol, and returns its answer.
func ask[P, R any](p *page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	answer, err := chromedp.Call(ctx, command, params)
	if err != nil {
		p.t.Fatalf("%s: %v", command.Method, err)
	}
	return answer
}

// hear keeps requests, and complaints of the browser.
func (p *page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.Method+" "+strings.TrimPrefix(e.Request.URL, p.s.url))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || strings.Contains(e.Entry.Text, "Content Security Policy") {
			p.trouble = append(p.trouble, e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		p.trouble = append(p.trouble, exceptionText(e.ExceptionDetails))
	}
}

// quiet fails the test if the browser complained, except of the messages that a test expects.
func (p *page) quiet(expected ...string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.trouble {
		known := false
		for _, e := range expected {
			known = known || strings.Contains(one, e)
		}
		if !known {
			p.t.Errorf("the browser complains: %s", one)
		}
	}
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// goTo opens an address in the page's tab.
func (p *page) goTo(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.s.url + path))
	p.settled()
}

// settled waits until the page has its first answer, and so have its parts.
func (p *page) settled() {
	p.t.Helper()
	until(p.t, "the page's first answers", func() bool {
		return p.eval(`document.querySelector("main")?.getAttribute("aria-busy") === "false" && !document.querySelector('main [aria-busy="true"]')`) == true
	})
}

// eval returns the value of an expression.
func (p *page) eval(expression string) any {
	p.t.Helper()
	answer := ask(p, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: new(true), AwaitPromise: new(true)})
	return p.value(answer.Result, answer.ExceptionDetails)
}

func (p *page) value(object *runtime.RemoteObject, exception *runtime.ExceptionDetails) (value any) {
	p.t.Helper()
	if exception != nil {
		p.t.Fatal(exceptionText(exception))
	}
	if object != nil && len(object.Value) > 0 {
		if err := json.Unmarshal(object.Value, &value); err != nil {
			p.t.Fatal(err)
		}
	}
	return value
}

// all returns the elements with that role and, unless it is empty, that accessible name.
func (p *page) all(role, name string) (found []cdp.BackendNodeID) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	for {
		root, err := chromedp.Call(ctx, dom.GetDocument, dom.GetDocumentParams{Depth: new(int64(1))})
		var answer accessibility.QueryAXTreeResult
		if err == nil {
			query := accessibility.QueryAXTreeParams{NodeID: root.Root.NodeID, Role: role, AccessibleName: name}
			answer, err = chromedp.Call(ctx, accessibility.QueryAXTree, query)
		}
		switch {
		case err == nil:
			for _, n := range answer.Nodes {
				if !n.Ignored {
					found = append(found, n.BackendDOMNodeID)
				}
			}
			return found
		case !strings.Contains(err.Error(), "Could not find node"): // the document was left between the two
			p.t.Fatal(err)
		}
	}
}

// find waits for the one thing of that role and name.
func (p *page) find(role, name string) (found cdp.BackendNodeID) {
	p.t.Helper()
	until(p.t, fmt.Sprintf("%s %q", role, name), func() bool {
		all := p.all(role, name)
		if len(all) == 1 {
			found = all[0]
		}
		return len(all) == 1
	})
	return found
}

// gone waits until there is nothing of that role and name.
func (p *page) gone(role, name string) {
	p.t.Helper()
	until(p.t, fmt.Sprintf("no %s %q", role, name), func() bool { return len(p.all(role, name)) == 0 })
}

// call calls a function of JavaScript with an element as this, and returns its value.
func (p *page) call(element cdp.BackendNodeID, function string) any {
	p.t.Helper()
	object := ask(p, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: element}).Object
	answer := ask(p, runtime.CallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: object.ObjectID, ReturnByValue: new(true), AwaitPromise: new(true)})
	return p.value(answer.Result, answer.ExceptionDetails)
}

// text returns the text in the one thing of that role and name.
func (p *page) text(role, name string) string {
	p.t.Helper()
	text, _ := p.call(p.find(role, name), "function() { return this.innerText }").(string)
	return text
}

// awaitText waits until the thing of that role and name holds a text.
func (p *page) awaitText(role, name, text string) {
	p.t.Helper()
	until(p.t, fmt.Sprintf("%q in %s %q", text, role, name), func() bool { return strings.Contains(p.text(role, name), text) })
}

// click clicks on the middle of a thing with the mouse, once it stands still and nothing covers it, because the
// parts of a page come one by one and push down what is below them.
func (p *page) click(role, name string) {
	p.t.Helper()
	var at []any
	until(p.t, fmt.Sprintf("%s %q to stand still", role, name), func() bool {
		at, _ = p.call(p.find(role, name), `async function() {
			if (document.querySelector('[aria-busy="true"]')) return null
			this.scrollIntoView({block: "center", inline: "nearest"})
			const place = () => { const r = this.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] }
			const frame = () => new Promise(next => requestAnimationFrame(next))
			const [x, y] = place()
			await frame(); await frame()
			const [x2, y2] = place(), top = document.elementFromPoint(x2, y2)
			return x === x2 && y === y2 && (this.contains(top) || top?.closest("label")?.contains(this)) ? [x, y] : null
		}`).([]any)
		return len(at) == 2
	})
	p.do(chromedp.MouseClickXY(at[0].(float64), at[1].(float64)))
}

// press presses keys, one after the other.
func (p *page) press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.do(chromedp.KeyEvent(k))
	}
}

// write types a text where the focus is.
func (p *page) write(text string) {
	p.t.Helper()
	for _, r := range text {
		p.do(chromedp.KeyEvent(string(r)))
	}
}

// focused returns role and name of the element with the focus.
func (p *page) focused() (role, name string) {
	p.t.Helper()
	object := ask(p, runtime.Evaluate, runtime.EvaluateParams{Expression: "document.activeElement"}).Result
	nodes := ask(p, accessibility.GetPartialAXTree, accessibility.GetPartialAXTreeParams{ObjectID: object.ObjectID, FetchRelatives: new(false)}).Nodes
	if len(nodes) == 0 {
		return "", ""
	}
	return axText(nodes[0].Role), axText(nodes[0].Name)
}

func axText(v *accessibility.Value) (text string) {
	if v != nil {
		_ = json.Unmarshal(v.Value, &text) // a node that is no text has no name
	}
	return text
}

// tabTo presses Tab until an element has the focus, because a user without a mouse has to reach
// it.
func (p *page) tabTo(role, name string) {
	p.t.Helper()
	var passed []string
	for range 200 {
		p.press(kb.Tab)
		r, n := p.focused()
		if r == role && n == name {
			return
		}
		passed = append(passed, r+" "+n)
	}
	p.t.Fatalf("Tab does not reach %s %q; it passes %q", role, name, passed)
}

// rows returns the texts of the cells of a table.
func (p *page) rows(name string) (rows [][]string) {
	p.t.Helper()
	value := p.call(p.find("table", name), `function() { return [...this.tBodies[0].rows].map(r => [...r.cells].map(c => c.innerText)) }`)
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &rows)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return rows
}

// set changes a control of a form by its name on the wire.
func (p *page) set(name, value string) {
	p.t.Helper()
	selector := fmt.Sprintf(`form [name=%q]`, name)
	// A dialog that is about to open takes the focus, and a letter with it.
	until(p.t, "a control "+name, func() bool {
		return p.eval("(c => !!c && c.closest('dialog')?.open !== false)(document.querySelector("+quote(selector)+"))") == true
	})
	p.eval(fmt.Sprintf(`(() => {
		const c = document.querySelector(%s);
		for (let d = c.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
		c.focus();
		if (c.tagName === "SELECT") { c.value = %s; c.dispatchEvent(new Event("input", {bubbles: true})); c.dispatchEvent(new Event("change", {bubbles: true})); }
		else if (c.type === "datetime-local") { c.value = %s; c.dispatchEvent(new Event("input", {bubbles: true})); }
		else c.select();
	})()`, quote(selector), quote(value), quote(value)))
	if kind := p.eval("document.querySelector(" + quote(selector) + ").type"); kind == "select-one" || kind == "datetime-local" {
		return
	}
	p.press(kb.Backspace)
	p.write(value)
}

func quote(text string) string {
	b, _ := json.Marshal(text) // a text always can be
	return string(b)
}

// keep writes the picture and the document of a page whose test has failed.
func (p *page) keep() {
	dir := os.Getenv("CONSOLE_ARTIFACTS")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "console-failed")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return
	}
	name := filepath.Join(dir, strings.ReplaceAll(p.t.Name(), "/", "-"))
	ctx, cancel := context.WithTimeout(p.ctx, 5*time.Second)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Logf("no picture of the page: %v", err)
		return
	}
	document, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("document.documentElement.outerHTML")) // the picture is there
	_ = os.WriteFile(name+".png", picture, 0o644)                                                     // it only helps to find the failure
	_ = os.WriteFile(name+".html", []byte(document), 0o644)                                           // so does this
	p.t.Logf("the page is kept in %s.png and .html", name)
}

func exceptionText(e *runtime.ExceptionDetails) string {
	if e.Exception != nil && e.Exception.Description != "" {
		return e.Exception.Description
	}
	return e.Text
}
