package console

import (
	"fmt"
	"testing"
)

// A plan that counts elapsed time has no zone; its time is typed in the zone that is chosen.
func TestATimeIsTypedInAZone(t *testing.T) {
	t.Parallel()
	s := serve(t)
	p := openPage(t, s, "/ui/plans/new?station=mail&plan_id=once&command=send&plan_type=time&timezone=Asia/Shanghai")
	p.set("plan_time", "2030-01-01T08:00:00")
	p.awaitText("region", "Request", `"plan_time":"2030-01-01T00:00:00Z"`)
	p.click("button", "Create")
	p.find("heading", "mail/once")
	if plan, _ := s.rest("GET", "/plans/mail/once", nil)["plan"].(map[string]any); plan["plan_time"] != "2030-01-01T00:00:00Z" || plan["timezone"] != nil {
		t.Errorf("it is %v", plan)
	}
	p.goTo("/ui/plans/mail/once/edit")
	p.set("timezone", "Asia/Shanghai") // 00:00 of that zone is another moment
	p.click("button", "Review")
	p.find("dialog", "Change mail/once")
	if rows := fmt.Sprint(p.rows("Changes")); rows != "[[plan_time 2030-01-01T00:00:00Z 2029-12-31T16:00:00Z]]" {
		t.Errorf("it shows the changes %s", rows)
	}
	p.quiet("400")
}

// Several members of a policy are cleared at once, and the others stay.
func TestMembersOfAPolicyAreCleared(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.create("mail", "digest", body{"retry": body{"strategy": "exponential", "interval": 2, "max_interval": 9, "max_error_count": 3}})
	p := openPage(t, s, "/ui/plans/mail/digest/edit")
	p.set("retry.interval", "")
	p.set("retry.max_interval", "")
	p.click("button", "Review")
	p.click("button", "Save")
	p.find("heading", "mail/digest")
	plan, _ := s.rest("GET", "/plans/mail/digest", nil)["plan"].(map[string]any)
	if retry := fmt.Sprint(plan["retry"]); retry != "map[max_error_count:3 strategy:exponential]" {
		t.Errorf("its policy is %s", retry)
	}
	p.quiet("400")
}
