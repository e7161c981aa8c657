package schema

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// isSecretHeader reports that the value of a header is a secret by nature, because it
// authenticates the caller to the target. It goes by the words of the name.
func isSecretHeader(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	for i, word := range words {
		switch {
		case slices.Contains(secretWords, word):
			return true
		case word == "key" && i > 0 && slices.Contains(keyWords, words[i-1]):
			return true
		}
	}
	return false
}

var (
	secretWords = []string{
		"authorization", "auth", "cookie", "token", "secret", "password", "passwd", "credential", "credentials",
		"apikey", "signature", "session",
	}
	keyWords = []string{"api", "access", "auth", "secret", "private", "subscription", "master"}
)

// HidesHeader reports that a header is not shown, because it is a secret by nature and a part of
// it is written out. A value of named secrets, each with a word before it at most, discloses
// nothing, such as "Bearer {{secret:partner}}", or "id={{secret:id}}; key={{secret:key}}".
func HidesHeader(name, value string) bool {
	if value == "" || !isSecretHeader(name) {
		return false
	}
	t, err := ParseTemplate(value)
	if err != nil {
		return true
	}
	names := false
	for literal, word := range t.Parts() {
		if word == "" && literal != "" || !label.MatchString(literal) {
			return true
		}
		if _, is := SecretOf(word); is {
			names = true
		}
	}
	return !names
}

// label is the text that may describe the secret behind it: a scheme, or a name.
var label = regexp.MustCompile(`^[;,]?\s*([A-Za-z][\w.-]{0,31}\s*[=\s]\s*"?)?$`)

// HidePlan returns a definition, or a message that repeats one, as it is shown. In a plan of
// station http, headers that are secrets by nature have (secret) in the place of their values.
// The definition that is kept has them, because calls are made with it.
func HidePlan(v wire.Value) wire.Value {
	if station, _ := v.Field("station").Text(); station != HTTPStation {
		return v
	}
	return withMember(v, "messages", hideMessages)
}

// HideShared is [HidePlan] for the shared members of the definition of a plan of station
// http.
func HideShared(enc wire.Encoding, shared []byte, count int) ([]byte, int) {
	whole := wire.MapOf(enc, shared, count)
	shown := withMember(whole, "messages", hideMessages)
	members, _ := wire.Members(shown)
	return members, count
}

func hideMessages(messages wire.Value) wire.Value {
	return eachHeader(messages, ShownHeader)
}

// hideCall is hideMessages for a call as the only message.
func hideCall(call wire.Value) wire.Value {
	return withMember(call, "headers", func(headers wire.Value) wire.Value { return eachText(headers, ShownHeader) })
}

// ShownHeader is the value of a header as it is shown.
func ShownHeader(name, value string) string {
	if HidesHeader(name, value) {
		return Hidden
	}
	return value
}

// eachHeader returns the messages of a plan of station http with each header's value
// replaced by change.
func eachHeader(messages wire.Value, change func(name, value string) string) wire.Value {
	call, ok := sole(messages)
	if !ok {
		return messages
	}
	other := withMember(call, "headers", func(headers wire.Value) wire.Value { return eachText(headers, change) })
	if string(other.Raw()) == string(call.Raw()) {
		return messages
	}
	w := wire.NewWriter(messages.Encoding(), nil)
	w.BeginList()
	w.Value(other)
	w.EndList()
	return w.Whole()
}

// sole is the only element of a list; false: it has none, or several.
func sole(list wire.Value) (only wire.Value, ok bool) {
	if list.Kind() != wire.KindList || list.Len() != 1 {
		return only, false
	}
	for _, only = range list.List() {
	}
	return only, true
}

// withMember returns v with another value of one member, if change makes another of it.
func withMember(v wire.Value, name string, change func(wire.Value) wire.Value) wire.Value {
	was := v.Field(name)
	if was.IsZero() {
		return v
	}
	is := change(was)
	if string(is.Raw()) == string(was.Raw()) {
		return v
	}
	w := wire.NewWriter(v.Encoding(), make([]byte, 0, len(v.Raw())))
	w.BeginMap()
	for member, value := range v.Map() {
		w.KeyText(member)
		if member == name {
			value = is
		}
		w.Value(value)
	}
	w.EndMap()
	return w.Whole()
}

// eachText returns a map with each text replaced by change.
func eachText(v wire.Value, change func(name, value string) string) wire.Value {
	if v.Kind() != wire.KindMap {
		return v
	}
	changed := false
	w := wire.NewWriter(v.Encoding(), make([]byte, 0, len(v.Raw())))
	w.BeginMap()
	for name, value := range v.Map() {
		w.KeyText(name)
		text, is := value.Text()
		if other := change(name, text); is && other != text {
			changed = true
			w.Text(other)
			continue
		}
		w.Value(value)
	}
	w.EndMap()
	if !changed {
		return v
	}
	return w.Whole()
}

// KeepHidden returns a changed definition of a plan of station http in which headers that
// are (secret) have the values of the stored one, so that users can send back a plan as it
// was shown. It is refused when the call would go to another host, because that host would
// learn them.
func KeepHidden(changed, stored wire.Value) (wire.Value, error) {
	if station, _ := changed.Field("station").Text(); station != HTTPStation {
		return changed, nil
	}
	after, before := new(HTTPCall), new(HTTPCall)
	if !readCall(changed, after) || !readCall(stored, before) {
		return changed, nil // the check reports its error
	}
	kept := map[string]string{}
	for _, name := range hiddenHeaders(changed) {
		if after.Origin() != before.Origin() || after.header("Host") != before.header("Host") {
			return changed, &Error{
				Code: CodeInvalidPlan, Field: "messages.headers." + name,
				Message: fmt.Sprintf("messages: headers.%s is %s, which keeps the value that is stored, and target_url or Host leads elsewhere than that was for; give the value", name, Hidden),
			}
		}
		if value := before.header(name); value != "" {
			kept[name] = value
		}
	}
	return withMember(changed, "messages", func(messages wire.Value) wire.Value {
		return eachHeader(messages, func(name, value string) string {
			if was, is := kept[name]; is {
				return was
			}
			return value
		})
	}), nil
}

// CheckHidden refuses headers that are (secret) in a definition where the stored one, as
// it is shown, has none that is hidden, because there is no value to be kept. A stored
// definition that is absent is one of no plan.
func CheckHidden(v, stored wire.Value) error {
	there := hiddenHeaders(stored)
	for _, name := range hiddenHeaders(v) {
		if slices.ContainsFunc(there, func(other string) bool { return strings.EqualFold(other, name) }) {
			continue
		}
		why := "which has no such header"
		if stored.IsZero() {
			why = "which does not exist here"
		}
		return &Error{
			Code: CodeInvalidPlan, Field: "messages.headers." + name,
			Message: fmt.Sprintf("messages: headers.%s is %s, which keeps the value that is stored of the plan, %s; give the value, or {{secret:NAME}}", name, Hidden, why),
		}
	}
	return nil
}

// HasHidden reports that a part of a definition is hidden, so that no plan can be made of
// it.
func HasHidden(v wire.Value) bool { return len(hiddenHeaders(v)) > 0 }

// hiddenHeaders names the headers of a definition that are not shown.
func hiddenHeaders(v wire.Value) (names []string) {
	call := new(HTTPCall)
	if station, _ := v.Field("station").Text(); station != HTTPStation || !readCall(v, call) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(call.Headers)) {
		if isHidden(name, call.Headers[name]) {
			names = append(names, name)
		}
	}
	return names
}

// isHidden reports that a header is one that is shown in the place of another.
func isHidden(name, value string) bool { return value == Hidden && isSecretHeader(name) }

func readCall(definition wire.Value, call *HTTPCall) bool {
	message, ok := sole(definition.Field("messages"))
	return ok && wire.DecodeLoose(message, call) == nil
}

// header is the value of a header, in any case of its name.
func (h *HTTPCall) header(name string) string {
	for given, value := range h.Headers {
		if strings.EqualFold(given, name) {
			return value
		}
	}
	return ""
}
