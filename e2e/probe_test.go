package e2e
import ("testing";"time")
func TestProbe(t *testing.T) {
	for _, ov := range []string{"", "skip"} {
	for _, working := range []bool{false,true} {
	c := onCommon(t)
	station := c.station()
	ev := c.events(station)
	var w *worker
	if working { w = c.worker(station) }
	p := body{"station": station, "plan_id": "mine", "command": "c", "plan_type": "second", "plan_value": 1, "plan_repet": -1}
	if ov != "" { p["overlap"] = ov }
	c.create(p)
	var x *execution
	if working { x = w.take(); x.tell(body{"state":"running"}) }
	end := time.Now().Add(4500*time.Millisecond)
	for time.Now().Before(end) { m, err := ev.sub.NextMsg(time.Until(end)); if err != nil { break }; b := c.open(m); t.Log(ov, working, b["kind"], b["occurrence"], b["reason"]) }
	if working { x.ok() 
	for range 3 { m, err := ev.sub.NextMsg(time.Second); if err != nil { break }; b := c.open(m); t.Log(ov, working, b["kind"], b["occurrence"], b["reason"], "after ok") } }
	t.Log(c.state(station,"mine"))
	t.Log(outcome(c.runs(station,"mine")))
	c.req("plans.remove", name(station, "mine"))
	}}
}
