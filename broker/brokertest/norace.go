//go:build !race

package brokertest

const raceDetector = false
