package main

import (
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Fields in a message become the flags that set them. The words of a template and the texts of a
// user name no field and stay unchanged.
func TestOnlyFieldsBecomeFlags(t *testing.T) {
	cmd, _, err := newRoot(func() {}).Find([]string{"plan", "create"})
	if err != nil {
		t.Fatal(err)
	}
	_, unknown := schema.ParseTemplate("{{plan_tme}}")
	if unknown == nil {
		t.Fatal("there is a word plan_tme")
	}
	for message, want := range map[string]string{
		"plan_value needs plan_time":              "--value needs --time",
		`plan_value "plan_time" is no number`:     `--value "plan_time" is no number`,
		`plan_value "a \"plan_time" is plan_time`: `--value "a \"plan_time" is --time`,
		"plan_value has {{ plan_time }} in it":    "--value has {{ plan_time }} in it",
		"plan_value " + unknown.Error():           "--value " + unknown.Error(),
	} {
		refused := &schema.Error{Code: schema.CodeInvalidPlan, Field: "plan_value", Message: message}
		if got := inTheirWords(cmd, refused); got != "invalid_plan: "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
