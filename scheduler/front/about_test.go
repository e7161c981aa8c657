package front

import "testing"

// Each endpoint has a description and an example request.
func TestEachEndpointTellsOfItself(t *testing.T) {
	told := 0
	for _, s := range services {
		for _, v := range s.verbs {
			if a := abouts[s.name+"."+v.name]; a.description == "" || a.request == "" {
				t.Errorf("%s.%s tells nothing of itself", s.name, v.name)
			}
			told++
		}
	}
	if told != len(abouts) {
		t.Errorf("%d endpoints, and %d are told of", told, len(abouts))
	}
}
