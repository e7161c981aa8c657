// Package stationtest runs an installation of Stationmaster inside a test: a real nats-server and
// a real scheduler, in fake time, so that a month of plans passes in less than a second.
//
//	func TestBooksAreClosed(t *testing.T) {
//		stationtest.Run(t, func(t *testing.T, s *stationtest.Server) {
//			s.At("2027-02-01T00:00:00Z") // the first one says when it all begins
//			s.Plan(&schema.Plan{
//				Station: "billing", PlanID: "close", Command: "close",
//				Schedule: schema.Cron("0 18 LW * *", "Europe/Berlin"),
//			})
//			s.Handle("billing", "close", handler)
//			s.At("2027-03-01T00:00:00Z") // fake time passes until then
//			for _, r := range s.Results("billing", "close") {
//				…
//			}
//		})
//	}
//
// The test runs in a bubble of [testing/synctest]: time.Now is fake, and time passes only while
// all goroutines of the test wait. Nothing in it may wait for something outside, such as a
// network connection; the server is reached in process alone. Tests with a server do not run in
// parallel.
//
// While nothing is due and nothing under way, the scheduler is stopped, and started again before
// the next plan is due, as any scheduler may be: the plans and their results are on disk.
package stationtest
