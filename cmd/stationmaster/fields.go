package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// fields are flags that stand for the fields of a map, such as a plan, and a file with a
// map whose fields they override.
type fields struct {
	flags  *pflag.FlagSet
	file   string
	inFile wire.Value // the file's map, once it is read
}

func newFields() *fields {
	f := &fields{flags: pflag.NewFlagSet("fields", pflag.ContinueOnError)}
	f.flags.SortFlags = false
	return f
}

// add makes them flags of a command.
func (f *fields) add(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVarP(&f.file, "file", "f", "", "read a map from a `file`, JSON or MessagePack; - is stdin")
	cmd.Flags().AddFlagSet(f.flags)
	f.flags.VisitAll(func(flag *pflag.Flag) { offer(cmd, flag.Name, fieldName(flag.Name)) })
}

// read is the map that the file and the flags make together, in the file's encoding.
func (f *fields) read(cmd *cobra.Command) (wire.Value, error) {
	made, enc := map[string]any{}, wire.JSON
	if f.file != "" {
		value, err := readMap(cmd, f.file)
		if err != nil {
			return wire.Value{}, err
		}
		f.inFile = value
		made, enc = membersOf(value), value.Encoding()
	}
	var errs []error
	f.flags.VisitAll(func(flag *pflag.Flag) {
		if !flag.Changed {
			return
		}
		value, err := f.value(flag)
		if err != nil {
			errs = append(errs, usagef("--%s %w", flag.Name, err))
		}
		put(made, fieldName(flag.Name), value)
	})
	if len(errs) > 0 {
		return wire.Value{}, errors.Join(errs...)
	}
	return wire.ValueOf(enc, made)
}

func readMap(cmd *cobra.Command, name string) (wire.Value, error) {
	var body []byte
	var err error
	if name == "-" {
		body, err = io.ReadAll(cmd.InOrStdin())
	} else {
		body, err = os.ReadFile(name)
	}
	if err != nil {
		return wire.Value{}, fmt.Errorf("read a map: %w", err)
	}
	value, err := wire.Scan(body, wire.Limits{})
	if err != nil && wire.Detect(body) == wire.MsgPack && utf8.Valid(body) {
		err = ofText(string(body))
	}
	if err == nil && value.Kind() != wire.KindMap {
		err = errors.New("it holds no map")
	}
	if _, is := errors.AsType[*wire.SyntaxError](err); is {
		return wire.Value{}, fmt.Errorf("read %s: %s", name, schema.SyntaxText(body, err))
	}
	if err != nil {
		return wire.Value{}, fmt.Errorf("read %s: %w", name, err)
	}
	return value, nil
}

// ofText is the error about a text that is no JSON, where a map is read.
func ofText(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("it is empty")
	case strings.HasPrefix(text, "\ufeff"):
		return errors.New("it begins with a byte order mark, which JSON does not take: save it without one")
	}
	return errors.New("it is neither JSON, which begins with {, nor MessagePack; a file of YAML is for stationmaster apply -f")
}

// membersOf returns the members of a map. Maps and texts are decoded; all others stay as they
// were sent, because a number may have more digits than a float64.
func membersOf(v wire.Value) map[string]any {
	m := map[string]any{}
	for name, member := range v.Map() {
		text, isText := member.Text()
		switch {
		case member.Kind() == wire.KindMap:
			m[name] = membersOf(member)
		case isText:
			m[name] = text
		case member.Kind() == wire.KindNull:
			m[name] = nil
		default:
			m[name] = member
		}
	}
	return m
}

// put sets a field, which may be one of a map in m: "retry.strategy".
func put(m map[string]any, field string, value any) {
	outer, inner, nested := strings.Cut(field, ".")
	if !nested {
		m[field] = value
		return
	}
	within, is := m[outer].(map[string]any)
	if !is { // the file's value is no map, and is refused as such
		if m[outer] != nil {
			return
		}
		within = map[string]any{}
		m[outer] = within
	}
	put(within, inner, value)
}

// fieldName is the wire name of the field that a flag sets.
func fieldName(flag string) string {
	switch flag {
	case "retry":
		return "retry.strategy"
	case "clock-gap", "clock-overlap":
		return "clock_change." + strings.TrimPrefix(flag, "clock-")
	case "max-error-count", "need-manual":
		return "retry." + strings.ReplaceAll(flag, "-", "_")
	case "id", "type", "value", "repet", "time":
		return "plan_" + flag
	case "message", "label", "worker-id":
		return strings.ReplaceAll(flag, "-", "_") + "s"
	}
	if of, is := strings.CutPrefix(flag, "retry-"); is {
		return "retry." + strings.ReplaceAll(of, "-", "_")
	}
	return strings.ReplaceAll(flag, "-", "_")
}

// value is the value that a flag gives to its field.
func (f *fields) value(flag *pflag.Flag) (any, error) {
	switch flag.Name {
	case "worker-count":
		n, err := f.flags.GetInt64(flag.Name)
		if err == nil && n == 0 {
			err = errors.New("is 0; it takes 1 to 100")
		}
		return n, err
	case "ext":
		return jsonArgument("(its value)", flag.Value.String())
	case "message":
		texts, err := f.flags.GetStringArray(flag.Name)
		frames := make([]any, len(texts))
		var errs []error
		for i, text := range texts {
			var wrong error
			frames[i], wrong = frame(text)
			errs = append(errs, wrong)
		}
		return frames, errors.Join(append(errs, err)...)
	}
	value := flag.Value
	if once, is := value.(*onceValue); is {
		value = once.Value
	}
	switch value.Type() {
	case "int64":
		return f.flags.GetInt64(flag.Name)
	case "uint64":
		return f.flags.GetUint64(flag.Name)
	case "duration":
		return float64(*value.(*secondsValue)), nil
	case "time":
		return momentFor(flag.Value.String(), time.Now(), f.zone())
	case "durations":
		return []schema.Seconds(*value.(*secondsList)), nil
	case "bool":
		return f.flags.GetBool(flag.Name)
	case "stringSlice":
		return []string(*value.(*listValue)), nil
	case "stringToString":
		return map[string]string(*value.(*labelsValue)), nil
	default:
		return flag.Value.String(), nil
	}
}

// zone is the time zone that the flags or the file name; empty: neither does.
func (f *fields) zone() string {
	if flag := f.flags.Lookup("timezone"); flag != nil && flag.Changed {
		return flag.Value.String()
	}
	zone, _ := f.inFile.Field("timezone").Text()
	return zone
}

// frame returns the value of a --message, which is JSON if it is valid and else a text. An
// invalid text that begins like a map, a list or a text of JSON is refused, because a worker that
// expects a map would get a text.
func frame(text string) (any, error) {
	v, err := wire.ScanAs(wire.JSON, []byte(text), wire.Limits{})
	begins := strings.TrimLeft(text, " \t\r\n")
	switch {
	case err == nil:
		return v, nil
	case begins == "" || !strings.ContainsRune(`{["`, rune(begins[0])):
		return text, nil
	default:
		return nil, fmt.Errorf(`%s begins as JSON does, and is none: %s. A text that begins with {, [ or " is typed as JSON, such as '"[note] see below"'`,
			shortened(text), schema.SyntaxText([]byte(text), err))
	}
}
