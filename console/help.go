package console

import (
	"bytes"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/stationmaster-io/stationmaster/docs"
)

// helpPath is the path of the help, below the base path.
const helpPath = Path + "help"

// An article is a page of the docs.
type article struct {
	Title string // without markup
	Body  template.HTML
}

// help has the docs: each page once it was asked for, and the pictures.
type help struct {
	base string // of addresses, in front of helpPath

	articles map[string]func() *article // by their names below helpPath; empty: the list of pages
	pictures map[string]*file
}

// kinds are those of pictures, by the ends of their names.
var kinds = map[string]string{".svg": "image/svg+xml", ".webp": "image/webp"}

func newHelp(base string) *help {
	h := &help{base: base, articles: map[string]func() *article{}, pictures: map[string]*file{}}
	err := fs.WalkDir(docs.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		plain, err := docs.Files.ReadFile(name)
		if kind := kinds[path.Ext(name)]; kind != "" {
			h.pictures[name] = newFile(plain, kind)
		} else {
			h.articles[articleName(name)] = sync.OnceValue(func() *article { return h.article(name, plain) })
		}
		return err
	})
	if err != nil {
		panic(err) // the compiler has embedded them
	}
	return h
}

// articleName is the name of a page below helpPath, by that of its file: the README of a folder is
// the folder's page.
func articleName(file string) string {
	name := strings.TrimSuffix(file, ".md")
	return strings.TrimSuffix(strings.TrimSuffix(name, "README"), "/")
}

// of returns the page of a name below helpPath; nil: there is none.
func (h *help) of(name string) *article {
	if a := h.articles[strings.Trim(name, "/")]; a != nil {
		return a()
	}
	return nil
}

// emptyHeader is the heading of a column that needs none. It becomes a plain cell, because a reader of
// the screen announces a heading.
var emptyHeader = regexp.MustCompile(`<th( align="[a-z]+")?></th>`)

// article makes a page of a file of the docs. Markup of HTML in it is left out.
func (h *help) article(file string, source []byte) *article {
	a := &article{}
	m := goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(
			parser.WithAutoHeadingID(),
			parser.WithASTTransformers(util.Prioritized(&edition{help: h, file: file, article: a}, 1000)),
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(tables{}, 100))),
	)
	var out bytes.Buffer
	if err := m.Convert(source, &out, parser.WithContext(parser.NewContext(parser.WithIDs(anchors{})))); err != nil {
		panic(err) // memory takes all
	}
	a.Body = template.HTML(emptyHeader.ReplaceAllString(out.String(), "<td$1></td>"))
	if articleName(file) == "" {
		a.Title = "Help"
	}
	return a
}

// An edition takes the title out of a page, and has its links lead to pages of the help.
type edition struct {
	help    *help
	file    string
	article *article
}

// Transform implements [parser.ASTTransformer].
func (e *edition) Transform(page *ast.Document, reader text.Reader, _ parser.Context) {
	source := reader.Source()
	var links []*ast.Link
	_ = ast.Walk(page, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // no step fails
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				links = append(links, n)
			}
		case *ast.Image:
			if entering {
				n.Destination = []byte(e.help.base + helpPath + "/" + e.place(string(n.Destination)))
			}
		}
		return ast.WalkContinue, nil
	})
	for _, l := range links {
		e.lead(l)
	}
	if h, ok := page.FirstChild().(*ast.Heading); ok && h.Level == 1 {
		e.article.Title = plainText(h, source)
		page.RemoveChild(page, h)
	}
}

// place is where a link of the page leads, as a path below the docs.
func (e *edition) place(link string) string { return path.Join(path.Dir(e.file), link) }

// lead has a link lead to a page of the help. One to a file that is no page is none, because a
// program has no folders: its words stay.
func (e *edition) lead(l *ast.Link) {
	link := string(l.Destination)
	if strings.Contains(link, "://") || strings.HasPrefix(link, "#") {
		return
	}
	target, anchor, anchored := strings.Cut(link, "#")
	place := e.place(target)
	if anchored {
		anchor = "#" + anchor
	}
	name := articleName(place)
	switch {
	case strings.HasSuffix(place, ".md") && e.help.articles[name] != nil:
		l.Destination = []byte(strings.TrimSuffix(e.help.base+helpPath+"/"+name, "/") + anchor)
	case e.help.pictures[place] != nil:
		l.Destination = []byte(e.help.base + helpPath + "/" + place)
	default:
		for c := l.FirstChild(); c != nil; c = l.FirstChild() {
			l.Parent().InsertBefore(l.Parent(), l, c)
		}
		l.Parent().RemoveChild(l.Parent(), l)
	}
}

// plainText is the text of a node without its markup.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // no step fails
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// anchors are the names of headings, as the pages' links have them: those that GitHub gives.
type anchors map[string]bool

// Generate implements [parser.IDs].
func (a anchors) Generate(heading []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSpace(string(heading))))
	for a[id] {
		id += "-1"
	}
	a[id] = true
	return []byte(id)
}

// Put implements [parser.IDs].
func (a anchors) Put(id []byte) { a[string(id)] = true }

// tables renders a table within an element that scrolls where the page is narrow.
type tables struct{}

// RegisterFuncs implements [renderer.NodeRenderer].
func (tables) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(extended.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := "</table></div>\n"
		if entering {
			tag = `<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>` + "\n"
		}
		_, err := w.WriteString(tag)
		return ast.WalkContinue, err
	})
}

// serveHelp answers with a page of the docs or a picture of one. It reports false of a name that there
// is not.
func (c *handler) serveHelp(w http.ResponseWriter, r *http.Request, name string) bool {
	below, is := strings.CutPrefix(name, "help")
	if !is || below != "" && below[0] != '/' {
		return false
	}
	if f := c.help.pictures[strings.TrimPrefix(below, "/")]; f != nil {
		f.ServeHTTP(w, r)
		return true
	}
	a := c.help.of(below)
	if a != nil {
		c.send(w, r, document{Title: a.Title, Article: a}, http.StatusOK)
	}
	return a != nil
}
