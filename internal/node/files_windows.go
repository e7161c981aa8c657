package node

// openFiles is the number of files that this process may have open; 0: there is no limit.
func openFiles() int { return 0 }
