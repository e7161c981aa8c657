// Package view decides which plans somebody who asks for a list, or claims work, is shown.
//
// It reads plans and changes none. It may not know the machine, its queues or its batches.
package view
