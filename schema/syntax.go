package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// BodyErrors is [WireErrors] of a scan of body, in which a number that is too large is
// reported by its member, because a user who typed 1e400 does not look for a byte offset
// in JSON that a library has written.
func BodyErrors(code Code, body []byte, err error) Errors {
	errs := WireErrors(code, err)
	if member, number := tooLarge(body, err); number != "" {
		errs[0].Field, errs[0].Message = member, tooLargeText(member, number)
	}
	return errs
}

// SyntaxText is the message of a scan's error about body, as in BodyErrors.
func SyntaxText(body []byte, err error) string {
	member, number := tooLarge(body, err)
	if number == "" {
		return err.Error()
	}
	return tooLargeText(member, number)
}

// tooLargeText is the message that a number is too large.
func tooLargeText(member, number string) string {
	const most = 40
	if len(number) > most {
		number = number[:most] + "…"
	}
	text := number + " is too large a number: no number is above 1.7e308; write it as a text, in double quotes, if it is to stay"
	if member == "" {
		return text
	}
	return member + ": " + text
}

// tooLarge is the number that a scan of a JSON body found too large for one, and its member; none
// when it found something else.
func tooLarge(body []byte, err error) (member, number string) {
	syntax, is := errors.AsType[*wire.SyntaxError](err)
	if !is || syntax.Enc != wire.JSON || syntax.Offset > len(body) {
		return "", ""
	}
	number = string(aNumber.Find(body[syntax.Offset:]))
	if _, err := strconv.ParseFloat(number, 64); !errors.Is(err, strconv.ErrRange) {
		return "", ""
	}
	return memberAt(body[:syntax.Offset]), number
}

var aNumber = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?`)

// memberAt is the path of the member whose value comes next, or contains the position,
// such as retry.interval, as far as it leads through maps; empty: none. The text before is
// JSON that ends there.
func memberAt(before []byte) string {
	tokens := json.NewDecoder(bytes.NewReader(before))
	tokens.UseNumber()
	type level struct {
		isMap, named bool // named: the value of the member comes next
		name         string
	}
	var within []level
	ended := func() { // a value
		if n := len(within); n > 0 {
			within[n-1].named = false
		}
	}
	for {
		token, err := tokens.Token()
		if err != nil {
			break
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			within = append(within, level{isMap: token == json.Delim('{')})
			continue
		case json.Delim('}'), json.Delim(']'):
			within = within[:len(within)-1]
			ended()
			continue
		}
		if n := len(within); n > 0 && within[n-1].isMap && !within[n-1].named {
			within[n-1].name, _ = token.(string)
			within[n-1].named = true
			continue
		}
		ended()
	}
	var path []string
	for _, at := range within {
		if !at.isMap || !at.named || len(at.name) > maxMemberName {
			break
		}
		path = append(path, at.name)
	}
	return strings.Join(path, ".")
}

// maxMemberName is more than any member of ours has.
const maxMemberName = 64
