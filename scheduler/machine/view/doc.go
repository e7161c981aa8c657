// Package view shows plans to people: which ones somebody who asks for a list, or claims work,
// is shown, what is shown of each, and what is said of it in answer to a command.
//
// It reads plans and changes none. It may not know the machine, its queues or its batches.
package view
