package worker

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// errNotUTF8 refuses a content with a text that would arrive as another.
var errNotUTF8 = errors.New("is not UTF-8, in which texts are sent: return []byte where it is bytes, which are base64 in JSON and binary in MessagePack, or convert it")

// checkTexts refuses a content with a text that is not UTF-8. The encoded form has U+FFFD in the
// place of each invalid byte; the content is searched, because it may have U+FFFD itself.
func checkTexts(content any, encoded wire.Value) error {
	if !bytes.Contains(encoded.Raw(), []byte(string(utf8.RuneError))) {
		return nil
	}
	where, wrong := wire.NotUTF8(content)
	switch {
	case !wrong:
		return nil
	case where == "":
		return fmt.Errorf("a text %w", errNotUTF8)
	}
	return fmt.Errorf("%s %w", where, errNotUTF8)
}
