// Command build makes the files that package console embeds. It is a module of its own, so that a
// program that uses Stationmaster does not get esbuild by it.
//
//	go generate ./console           bundles the application, app, into dist, with esbuild
//	go run -C console/build . -vendor   copies the libraries of vendor out of node_modules
//
// The bundle is not minified, because its changes are then read in review like other code; it
// is the same on every machine. CI repeats both and compares.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	vendor := flag.Bool("vendor", false, "copy the libraries out of node_modules")
	flag.Parse()
	do := bundle
	if *vendor {
		do = copyLibraries
	}
	if err := do(".."); err != nil {
		fmt.Fprintln(os.Stderr, "build the console:", err)
		os.Exit(1)
	}
}

// A library is a package of npm, and the modules of it that the application imports.
type library struct {
	folder  string            // of vendor
	modules map[string]string // by the names that are imported, their paths in the package
}

var libraries = map[string]library{
	"preact": {"preact", map[string]string{
		"preact": "dist/preact.mjs", "preact/hooks": "hooks/dist/hooks.mjs", "preact/jsx-runtime": "jsx-runtime/dist/jsxRuntime.mjs",
	}},
	"@preact/signals-core": {"signals-core", map[string]string{"@preact/signals-core": "dist/signals-core.mjs"}},
	"@preact/signals":      {"signals", map[string]string{"@preact/signals": "dist/signals.mjs"}},
	"uplot":                {"uplot", map[string]string{"uplot": "dist/uPlot.esm.js", "uplot/dist/uPlot.min.css": "dist/uPlot.min.css"}},
	"@github/combobox-nav": {"combobox-nav", map[string]string{"@github/combobox-nav": "dist/index.js"}},
}

// at is where a module of a library lies below vendor.
func (l library) at(path string) string { return filepath.Join(l.folder, filepath.Base(path)) }

// bundle bundles the application below folder, the one of package console.
func bundle(folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	alias := map[string]string{}
	for _, l := range libraries {
		for name, path := range l.modules {
			alias[name] = filepath.Join(folder, "vendor", l.at(path))
		}
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:   folder,
		EntryPoints:     []string{"app/app.ts", "app/app.css"},
		Outdir:          "dist",
		Bundle:          true,
		Write:           true,
		Format:          api.FormatESModule,
		Target:          api.ES2022,
		Charset:         api.CharsetUTF8,
		JSX:             api.JSXAutomatic,
		JSXImportSource: "preact",
		Alias:           alias,
		LegalComments:   api.LegalCommentsInline,
		LogLevel:        api.LogLevelWarning,
	})
	if n := len(result.Errors); n > 0 {
		return fmt.Errorf("%d errors", n)
	}
	return nil
}

// A copied library is described beside its files.
type copied struct {
	Package   string `json:"package"`
	Version   string `json:"version"`
	License   string `json:"license"`
	Integrity string `json:"integrity"` // of the package, as npm has checked it
}

// copyLibraries copies the libraries out of node_modules, and writes down which they are.
func copyLibraries(folder string) error {
	var lock struct {
		Packages map[string]copied `json:"packages"`
	}
	if err := readJSON(filepath.Join(folder, "package-lock.json"), &lock); err != nil {
		return err
	}
	var all []copied
	for _, name := range slices.Sorted(maps.Keys(libraries)) {
		from, l := filepath.Join(folder, "node_modules", name), libraries[name]
		about := lock.Packages["node_modules/"+name]
		about.Package = name
		all = append(all, about)
		files := map[string]string{"LICENSE": filepath.Join(l.folder, "LICENSE")}
		for _, path := range l.modules {
			files[path] = l.at(path)
		}
		for path, to := range files {
			if err := copyFile(filepath.Join(from, path), filepath.Join(folder, "vendor", to)); err != nil {
				return err
			}
		}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "vendor", "versions.json"), append(text, '\n'), 0o644)
}

func readJSON(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
