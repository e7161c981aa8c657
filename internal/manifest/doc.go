// Package manifest brings an installation to the state that files describe: YAML files of
// stations, plans and tasks, and crontabs. It reads them into a [Set], compares that with
// the installation, and carries out the difference once its caller has approved it.
//
// An apply marks its plans with a label, [Label], with the name of the set, so that pruning
// removes only plans that an earlier apply of the same set made, and never another's.
// Stations have no labels, and are never pruned.
//
// In come files and, through package client, the present plans; out go requests of the
// services. The package keeps no state of its own, because the plans themselves are the
// record.
package manifest
