package roles_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/node/roles"
)

const password = "0123456789abcdef"

func TestUsersAreRead(t *testing.T) {
	users, err := roles.ReadUsers(strings.NewReader("# who\n\n  w-1 "+password+"\tworker a.b news:fanout \nlooks "+password+" observer\n"), "acme")
	if err != nil {
		t.Fatal(err)
	}
	if len(users) != 2 || users[1].Name != "looks" {
		t.Fatalf("read %+v", users)
	}
	want := roles.User{Name: "w-1", Password: password, Rights: roles.Of(roles.Worker, "w-1", "acme", []roles.Station{{Name: "a.b"}, {Name: "news", Fanout: true}})}
	if diff := cmp.Diff(want, users[0]); diff != "" {
		t.Error(diff)
	}
	for _, subject := range []string{"acme.station.a.b a.b", "acme.station.news", "acme.plan.cancel.a.b.*", "acme.worker.w-1", "_INBOX.w-1.>"} {
		if !strings.Contains("|"+strings.Join(users[0].Subscribe, "|")+"|", "|"+subject+"|") {
			t.Errorf("it may not subscribe to %s: %q", subject, users[0].Subscribe)
		}
	}
}

func TestUsersThatAreWrong(t *testing.T) {
	for text, message := range map[string]string{
		"":                       "no user in it",
		"# nobody\n":             "no user in it",
		"a " + password:          "line 1: it has 2 words",
		"a b reader":             "the password has 1 bytes",
		"a.b PASSWORD observer":  `the name holds '.'`,
		"> PASSWORD observer":    `the name holds '>'`,
		"a PASSWORD scheduler":   "write publisher, observer, worker or operator",
		"a PASSWORD worker":      "a worker without a station",
		"a PASSWORD worker a..b": "the name of a station",
		"a PASSWORD worker >":    "the name of a station",
		"a PASSWORD observer s":  "role observer has no stations",
		"a PASSWORD observer\na PASSWORD operator":           "line 2: there is a user of that name already",
		"a " + strings.Repeat("x", 73) + " observer":         "bcrypt takes 72",
		"a PASSWORD observer\n" + strings.Repeat("x", 1<<17): "read users",
	} {
		text = strings.ReplaceAll(text, "PASSWORD", password)
		if users, err := roles.ReadUsers(strings.NewReader(text), ""); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%.40q: %+v, %v, want %q", text, users, err, message)
		}
	}
}

// A password does not appear in errors, also where it stands in the place of another word.
func TestAPasswordIsNotShown(t *testing.T) {
	const odd = password + "$"
	for _, text := range []string{
		"a PASSWORD", "a PASSWORD admin", "a " + strings.Repeat(password, 5) + " observer", "a PASSWORD worker",
		"PASSWORD a observer", odd + " a observer", "PASSWORD a-name-that-is-long worker", "observer a-name-that-is-long PASSWORD",
		"a worker-that-is-long PASSWORD mail", "a PASSWORD worker " + odd, "PASSWORD PASSWORD observer\nPASSWORD PASSWORD observer",
	} {
		text = strings.ReplaceAll(text, "PASSWORD", password)
		if _, err := roles.ReadUsers(strings.NewReader(text), ""); err == nil || strings.Contains(fmt.Sprint(err), password) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
