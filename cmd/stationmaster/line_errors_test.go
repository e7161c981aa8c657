package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestAlikeMessagesAreCounted(t *testing.T) {
	var b strings.Builder
	var errs lineErrors
	for i := range int64(30) {
		errs.report(&b, i, fmt.Sprintf("s/p%d: it exists", i))
		errs.report(&b, i, fmt.Sprintf(`field "x%d" is unknown`, i))
	}
	errs.report(&b, 31, "something else")
	errs.rest(&b)
	if n := strings.Count(b.String(), "it exists"); n != mostAlike {
		t.Errorf("%d lines", n)
	}
	if !strings.Contains(b.String(), "line 31: something else\n") || !strings.HasSuffix(b.String(), "and 40 more lines with the same errors as some of these\n") {
		t.Errorf("%s", b.String())
	}
}
