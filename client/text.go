package client

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// checkTexts refuses a request with a text that is not UTF-8, because it would arrive as another,
// and two ids could become one. The encoded form has U+FFFD in the place of each invalid byte;
// the request is searched, because it may have U+FFFD itself.
func (c *Client) checkTexts(subject string, request any, encoded []byte) error {
	if !bytes.Contains(encoded, []byte(string(utf8.RuneError))) {
		return nil
	}
	field, wrong := wire.NotUTF8(request)
	if !wrong {
		return nil
	}
	code := schema.CodeInvalidRequest
	if strings.HasPrefix(subject, c.space.Service(plansGroup, "")) {
		code = schema.CodeInvalidPlan
	}
	return &schema.Error{
		Code: code, Field: field,
		Message: fmt.Sprintf("%s is not UTF-8, in which texts are sent; write bytes in base64, or convert it", field),
	}
}
