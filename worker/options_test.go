package worker

import (
	"runtime/debug"
	"testing"
)

func TestBuiltVersion(t *testing.T) {
	program := func(version string, deps ...*debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: "example.org/app", Version: version}, Deps: deps}
	}
	library := &debug.Module{Path: modulePath, Version: "v0.4.0"}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"released":         {program("v1.2.3", library), "v1.2.3"},
		"not released":     {program("(devel)", library), "stationmaster v0.4.0"},
		"nothing is known": {program(""), ""},
		"in a work space":  {program("", &debug.Module{Path: modulePath, Version: "(devel)"}), ""},
	} {
		if got := builtVersion(c.info, true); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := builtVersion(nil, false); got != "" {
		t.Errorf("a build without a version: %q", got)
	}
}
