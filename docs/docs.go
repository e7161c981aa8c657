// Package docs has the pages of this folder, for the help of the console: a program that is built from
// a clone has the pages of its own version.
package docs

import "embed"

// Files are the pages, by their paths below this folder, and their pictures.
//
//go:embed *.md *.svg *.webp adr/*.md conformance/*.md
var Files embed.FS
