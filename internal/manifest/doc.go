// Package manifest brings an installation to what files say: YAML files of stations,
// plans and tasks, and crontabs. It reads them into a [Set], compares that with what is
// there, and carries out the difference, when its caller has seen it and wants it.
//
// What an apply has made it knows again by a label, [Label], with the name of the set.
// So pruning takes away only what an earlier apply of the same set made, never a plan
// that somebody else did. Stations have no labels, and are never pruned.
//
// In come files and, through package client, the plans that are there; out go requests
// of the services. Nothing is kept in between: the plans themselves are the record.
package manifest
