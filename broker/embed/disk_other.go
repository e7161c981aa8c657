//go:build !(darwin || dragonfly || freebsd || linux || windows)

package embed

// disk cannot tell on this system.
func disk(string) (size, free int64) { return 0, 0 }
