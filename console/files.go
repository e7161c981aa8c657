package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
)

//go:embed dist/index.html dist/app.js dist/app.css
var dist embed.FS

// A file is one of the embedded files that the shell names.
type file struct {
	kind          string // its Content-Type
	version       string // a hash of its bytes
	plain, zipped []byte // zipped is nil of a picture that is compressed already
}

// readFile prepares a file of the application.
func readFile(name, kind string) *file {
	plain, err := dist.ReadFile("dist/" + name)
	if err != nil {
		panic(err) // the compiler has embedded it
	}
	return newFile(plain, kind)
}

// newFile prepares a file; its bytes are compressed once.
func newFile(plain []byte, kind string) *file {
	sum := sha256.Sum256(plain)
	f := &file{kind: kind, version: base64.RawURLEncoding.EncodeToString(sum[:9]), plain: plain}
	if kind == "image/webp" {
		return f
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is a valid one
	_, _ = z.Write(plain)                                   // memory takes all
	_ = z.Close()
	f.zipped = out.Bytes()
	return f
}

// ServeHTTP sends the file. With its version in the address it may be kept for a year, because
// another version has another address; without, a cache asks again.
func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", `"`+f.version+`"`)
	h.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == f.version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if strings.Contains(r.Header.Get("If-None-Match"), h.Get("ETag")) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.plain
	if f.zipped != nil && takesGzip(r.Header.Get("Accept-Encoding")) {
		body = f.zipped
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the reader may be gone
	}
}

// takesGzip reports whether a header Accept-Encoding lists gzip, and not with weight zero.
func takesGzip(accepted string) bool {
	for one := range strings.SplitSeq(accepted, ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(one, " ", ""), ";q=")
		if strings.EqualFold(name, "gzip") {
			q, err := strconv.ParseFloat(weight, 64)
			return err != nil || q > 0
		}
	}
	return false
}
