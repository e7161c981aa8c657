package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/internal/manifest"
)

// read adds a file, or those of a folder, to a set.
func (a *applying) read(cmd *cobra.Command, set *manifest.Set, name string) error {
	if name == "-" {
		in := bufio.NewReaderSize(cmd.InOrStdin(), headBytes)
		if err := refuseOther(in, "stdin is YAML", kindYAML, kindBackup); err != nil {
			return fmt.Errorf("stdin: %w", err)
		}
		return set.Read("stdin", in)
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return a.readFile(cmd, set, name)
	}
	f, err := filesIn(name, a.deep)
	if err != nil {
		return err
	}
	read, left := f.here, f.others
	switch {
	case a.deep:
		read = append(read, f.below...)
	case !cmd.Flags().Changed("recursive"):
		below := slices.DeleteFunc(f.below, a.isNamed)
		if a.options.Prune && len(below) > 0 {
			return usagef("--prune would remove plans that %s may name, because folders in %s are not read: give -R to read them, or --recursive=false to leave them out", manifest.Few(below), name)
		}
		left = append(below, left...)
	}
	if len(read) == 0 && !a.empty {
		return usagef("%s has no *.yaml, *.yml, *.crontab or crontab; folders in it are read with -R (say --allow-empty if that is meant)", name)
	}
	if len(left) > 0 {
		cmd.PrintErrf("note: %s is not read, since folders in %s are not without -R, nor files but *.yaml, *.yml, *.crontab and crontab; name it with -f, too, if it is meant\n", manifest.Few(left), name)
	}
	var errs []error
	for _, name := range read {
		errs = append(errs, a.readFile(cmd, set, name))
	}
	return errors.Join(errs...)
}

// isNamed reports whether a file, or its folder, is read because an argument names it.
func (a *applying) isNamed(file string) bool {
	return slices.ContainsFunc(a.files, func(named string) bool {
		named = filepath.Clean(named)
		return named == filepath.Clean(file) || named == filepath.Dir(file)
	})
}

// files are a folder's files that apply reads, those of its subfolders, and others of its
// own that look as if they should be read.
type files struct{ here, below, others []string }

// filesIn finds them. A subfolder that cannot be read is an error if deep wants it.
func filesIn(folder string, deep bool) (files, error) {
	var f files
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
		name, within := filepath.Join(folder, filepath.FromSlash(path)), strings.Contains(path, "/")
		switch {
		case err != nil && path != "." && !deep:
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir():
			if path != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
		case isRead(path) && within:
			f.below = append(f.below, name)
		case isRead(path):
			f.here = append(f.here, name)
		case extension(path) == ".json" && !within:
			f.others = append(f.others, name)
		}
		return nil
	})
	return f, err
}

// isRead reports whether a file of a folder is one for apply.
func isRead(path string) bool {
	return isCrontab(path) || slices.Contains([]string{".yaml", ".yml"}, extension(path))
}

// isCrontab reports whether a file is a crontab, by its name.
func isCrontab(path string) bool {
	return strings.EqualFold(filepath.Base(path), "crontab") || extension(path) == ".crontab"
}

// extension is that of a file in lower case, because PLANS.YAML is no less YAML.
func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }
