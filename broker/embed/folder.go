package embed

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

const (
	lockFile = "LOCK" // in a store folder, see lock
	// inside is the folder in a store folder in which nats-server has one folder of each
	// account.
	inside        = "jetstream"
	globalAccount = "$G"
	systemAccount = "$SYS"
)

// CheckPlace returns an error when a folder, which need not exist, is a part of a store
// folder, or a new one below it. The lock does not protect a part, because it lies in the
// store folder itself; and nats-server moves the accounts that it finds in its folder into
// a folder in it, from under a server that runs on them, and takes a file among them for an
// account that is lost. A new folder elsewhere below it is refused, because a mistyped path
// would begin an empty installation in place of the one that is meant.
func CheckPlace(dir string) error {
	above, err := storeAbove(dir)
	if err != nil {
		return fmt.Errorf("look at store folder %s: %w", dir, err)
	}
	if above != "" {
		return fmt.Errorf("store folder %s is a part of store folder %s: give that one, or a folder outside it", dir, above)
	}
	for _, account := range []string{globalAccount, systemAccount} {
		if exists(filepath.Join(dir, account)) {
			return fmt.Errorf("store folder %s is a part of one, because it holds %s: give the folder above it, "+
				"or move all that it holds into a folder %q in it", dir, account, inside)
		}
	}
	in := filepath.Join(dir, inside)
	deeper, lock := filepath.Join(in, inside), filepath.Join(in, lockFile)
	switch {
	case exists(deeper):
		return fmt.Errorf("store folder %s: a server was started on %s, and the store is in %s now; if that was a mistake, "+
			"move all that is there up into %[2]s, and remove %[3]s and %[4]s; if not, give %[2]s", dir, in, deeper, lock)
	case exists(lock):
		return fmt.Errorf("store folder %s: a server was started on %s by mistake: remove %s", dir, in, lock)
	}
	return nil
}

// storeAbove is the store folder that contains dir, which need not exist; empty: none. A
// folder that has become a store folder itself belongs to none any more.
func storeAbove(dir string) (string, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if exists(filepath.Join(at, inside)) {
		return "", nil
	}
	above := "" // the nearest folder above dir that exists
	for above == "" {
		there, err := filepath.EvalSymlinks(at)
		switch {
		case err == nil && exists(dir):
			above = filepath.Dir(there)
		case err == nil:
			above = there
		case !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at):
			return "", err
		}
		at = filepath.Dir(at)
	}
	for ; !exists(filepath.Join(above, lockFile)) || !exists(filepath.Join(above, inside)); above = filepath.Dir(above) {
		if above == filepath.Dir(above) {
			return "", nil
		}
	}
	return above, nil
}

// checkKind refuses to a cluster a folder that a server alone has filled, and the other way
// round. The servers of a cluster have a record of all streams, and those without an entry
// in it are created anew over the existing files, or deleted. A server alone does not read
// that record, and recovers no stream of several replicas.
func checkKind(dir string, clustered bool) error {
	record := path.Join(inside, systemAccount, "_js_", "_meta_")
	// A server that never met the others has created the record, without an entry.
	ofCluster := holds(dir, path.Join(record, "msgs", "*.blk")) || holds(dir, path.Join(record, "snapshots", "*"))
	switch {
	case ofCluster && !clustered:
		return fmt.Errorf("store folder %s is that of a node of a cluster: start it with --cluster-name and the other flags of the cluster. "+
			"One node alone begins with an empty folder, into which an export of the cluster is imported. "+
			"(If this folder was filled by a server alone, all the same, move %s out of it.)", dir, filepath.Join(dir, inside, systemAccount))
	case clustered && !ofCluster && holdsStreams(dir):
		return fmt.Errorf("store folder %s was filled by a server alone, and a cluster would lose its content: "+
			"start it without --cluster-name, export (stationmaster export), start all nodes of the cluster on empty folders, and import there. "+
			"(If it is that of a node which has lost its record of the cluster, give the node an empty folder: the others fill it.)", dir)
	}
	return nil
}

// holdsStreams reports whether a store folder has streams.
func holdsStreams(dir string) bool { return holds(dir, path.Join(inside, "*", "streams", "*")) }

// holds reports whether dir has a folder or a file that is not empty under a pattern.
// Errors are left to nats-server, which will report them.
func holds(dir, pattern string) bool {
	root := os.DirFS(dir)
	found, err := fs.Glob(root, pattern)
	if err != nil {
		panic(err) // the patterns are constants
	}
	for _, name := range found {
		if is, err := fs.Stat(root, name); err == nil && (is.IsDir() || is.Size() > 0) {
			return true
		}
	}
	return false
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
