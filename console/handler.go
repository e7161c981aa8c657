package console

import (
	"html/template"
	"net/http"
	"strings"
)

// Config of the console. The zero value of each field is usable.
type Config struct {
	// Base begins all paths, without a slash at its end: the console is at Base/ui/. The
	// handler gets paths without it. Empty: nothing.
	Base string
	// Session returns the session of a request as the answer of GET /api/v1/session, in JSON.
	// Nil, and an empty answer: there is none.
	Session func(*http.Request) []byte
}

// Path is the path below which [Handler] serves.
const Path = "/ui/"

type handler struct {
	config Config
	shell  *template.Template
	files  map[string]*file // by their names below /ui/
	help   *help
}

// Handler serves the console below [Path].
func Handler(c Config) http.Handler {
	text, err := dist.ReadFile("dist/index.html")
	if err != nil {
		panic(err) // the compiler has embedded it
	}
	return &handler{
		config: c,
		shell:  template.Must(template.New("index.html").Parse(string(text))),
		files: map[string]*file{
			"app.js":  readFile("app.js", "text/javascript; charset=utf-8"),
			"app.css": readFile("app.css", "text/css; charset=utf-8"),
		},
		help: newHelp(c.Base),
	}
}

// ServeHTTP answers with a file of the application, or with the shell.
func (c *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, r.Method+" is not done here; GET is", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.EscapedPath(), Path)
	if f := c.files[name]; f != nil {
		f.ServeHTTP(w, r)
		return
	}
	if !c.serveHelp(w, r, name) {
		c.page(w, r, name)
	}
}

// A document has the parts of the shell.
type document struct {
	Lang, Base, Session string
	Title               string   // empty: the application has it
	Script, Style       string   // addresses
	Data                string   // the address of the page's data; empty: none is known
	Article             *article // nil: the application has all that the page shows
}

// page answers with the shell, of a page that there is or of the one that says that there is
// none.
func (c *handler) page(w http.ResponseWriter, r *http.Request, escaped string) {
	p, known := findPage(escaped)
	d, status := document{}, http.StatusNotFound
	if known {
		d.Data, status = p.data(r.URL.Query(), language(r)), http.StatusOK
	}
	c.send(w, r, d, status)
}

// send answers with the shell, which it gives its addresses and the session.
func (c *handler) send(w http.ResponseWriter, r *http.Request, d document, status int) {
	d.Lang, d.Base = language(r), c.config.Base
	d.Script = d.Base + Path + "app.js?v=" + c.files["app.js"].version
	d.Style = d.Base + Path + "app.css?v=" + c.files["app.css"].version
	if c.config.Session != nil {
		d.Session = string(c.config.Session(r))
	}
	switch {
	case d.Session == "":
		d.Data = ""
	case d.Data != "":
		d.Data = d.Base + d.Data
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_ = c.shell.Execute(w, d) // the reader may be gone
	}
}

// language is that of the document: the one that the address asks for, or the first of the
// browser's that there is.
func language(r *http.Request) string {
	wanted := r.URL.Query().Get("lang") + "," + r.Header.Get("Accept-Language")
	for one := range strings.SplitSeq(wanted, ",") {
		tag, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(one)), ";")
		switch primary, _, _ := strings.Cut(tag, "-"); primary {
		case "zh":
			return "zh-CN"
		case "en":
			return "en"
		}
	}
	return "en"
}
