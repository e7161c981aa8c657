package manifest

import (
	"errors"
	"fmt"
	"maps"
	"testing"
)

func TestOtherSetsAreCounted(t *testing.T) {
	refused := func(set string) error { return fmt.Errorf("plan s/p: %w", &otherSetError{set}) }
	err := fmt.Errorf("f.yaml: %w", errors.Join(refused("a"), errors.New("another error"), refused("b"), refused("a")))
	if got := OtherSets(err); !maps.Equal(got, map[string]int{"a": 2, "b": 1}) || !errors.Is(err, ErrOfAnotherSet) {
		t.Errorf("%v of %v", got, err)
	}
}
