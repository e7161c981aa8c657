package front

import "testing"

// Each endpoint has a description and an example request.
func TestEndpointsDescribeThemselves(t *testing.T) {
	described := 0
	for _, s := range services {
		for _, v := range s.verbs {
			if a := abouts[s.name+"."+v.name]; a.description == "" || a.request == "" {
				t.Errorf("%s.%s has no description", s.name, v.name)
			}
			described++
		}
	}
	if described != len(abouts) {
		t.Errorf("%d endpoints, and %d are described", described, len(abouts))
	}
}
