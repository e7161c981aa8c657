package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// isStdout reports whether a name is another one of stdout, such as /dev/stdout. Behind it
// may be a file that this program is to append to, and not to replace.
func isStdout(name string) bool {
	named, err := os.Stat(name)
	if err != nil {
		return false
	}
	out, err := os.Stdout.Stat()
	return err == nil && os.SameFile(named, out)
}

// refuseLoss refuses to put a backup in the place of a file that is none, and one of nothing in the place
// of any that has content, because a wrong address or name would cost the file.
func refuseLoss(name string, had *backupCount) error {
	head, err := headOf(name, headBytes)
	if err != nil || len(head) == 0 {
		return err
	}
	switch kind, _ := fileKindOf(head); {
	case kind != kindBackup:
		return usagef("%s is no backup, and would be replaced: name another file, or remove it", name)
	case had != nil && had.Plans == 0 && had.Stations == 0:
		return fmt.Errorf("the installation has no plan and no station, and %s is kept: look at --nats-url, or name another file", name)
	default:
		return nil
	}
}

// keepLarger keeps a backup that is about to be replaced by one of less than half its plans, as NAME~,
// because the new one may be of another installation; "": it did not have to.
func keepLarger(name string, had backupCount) (kept string, err error) {
	was, err := countIn(name)
	if err != nil || was.Plans <= 2*had.Plans {
		return "", err
	}
	if name, err = behindLinks(name); err != nil {
		return "", err
	}
	return name + "~", os.Rename(name, name+"~")
}

// mostLastLine is more bytes than the last line of a backup has.
const mostLastLine = 1 << 10

// countIn is the count in the last line of a backup; zero: the file is none, or not whole.
func countIn(name string) (was backupCount, err error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return was, nil
	}
	if err != nil {
		return was, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return was, err
	}
	tail, err := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-mostLastLine), mostLastLine))
	if err != nil {
		return was, err
	}
	lines := bytes.Split(bytes.TrimSpace(tail), []byte("\n"))
	var last backupLine
	if json.Unmarshal(lines[len(lines)-1], &last) == nil && last.End != nil {
		was = *last.End
	}
	return was, nil
}

// headOf is the first n bytes of a regular file, or all where it has fewer; none: there is no such file,
// or the writing of it reports why.
func headOf(name string, n int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil //nolint:nilerr // the writing reports it
	}
	defer file.Close() //nolint:errcheck // it was only read
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(file, n))
}

// writeOut writes to a file as a whole, and to a pipe or a device as it comes, because a
// new file would take the place of one that others have open.
func writeOut(name string, write func(io.Writer) error) error {
	switch info, err := os.Stat(name); {
	case err == nil && !info.Mode().IsRegular():
		return writeThrough(name, write)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	name, err := behindLinks(name)
	if err != nil {
		return err
	}
	return writeWhole(name, write)
}

func writeThrough(name string, write func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// mostLinks is how many links one after the other are followed, as many as Linux follows.
const mostLinks = 40

// behindLinks is the file that a name leads to, which need not exist.
func behindLinks(name string) (string, error) {
	for range mostLinks {
		target, err := os.Readlink(name)
		if err != nil {
			return name, nil //nolint:nilerr // it is no link
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(name), target)
		}
		name = target
	}
	return "", fmt.Errorf("%s leads through more than %d links", name, mostLinks)
}

// writeWhole creates a file once all of its content is on disk, so that a failing backup
// does not replace an earlier one.
func writeWhole(name string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if failed, is := errors.AsType[*fs.PathError](err); is {
		return fmt.Errorf("write %s: %w", name, failed.Err) // without the name of the temporary file
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}
