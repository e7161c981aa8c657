// Package bulk does one verb to all plans, or all failed tasks, that match a filter. Plans may be
// selected by their runs. In comes
// an order, out go requests of the services, through package client: it decides nothing that a
// service decides, and knows neither HTTP nor a terminal.
//
// A job first collects the names that match, page by page, and then asks for its verb name by
// name, because it would chase its own changes. It holds names alone, at most
// [MostNames]. All jobs that share a limiter together make at most [PerSecond] requests a
// second, because nothing that is due may be late because of them.
//
// The caller owns the goroutine of a job; those that a job starts have ended when it returns.
package bulk

import "golang.org/x/time/rate"

// Bounds of a job.
const (
	// MostNames is how many plans or tasks one job takes.
	MostNames = 1_000_000
	// PerSecond is how many changes jobs ask for.
	PerSecond = 500
	// mostRefusals is how many refusals are kept; others are counted.
	mostRefusals = 100
	// mostFilter is how many bytes a filter has, because it is kept with the job.
	mostFilter = 64 << 10
	// lanes is how many requests of a job are under way at a time: enough for PerSecond where
	// each waits 10 ms for the disk.
	lanes = 8
)

// NewPace returns the limiter for jobs that share a node.
func NewPace() *rate.Limiter { return rate.NewLimiter(PerSecond, 1) }
