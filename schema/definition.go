package schema

import (
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// MaxDefinitionBytes bounds a definition.
const MaxDefinitionBytes = 512 << 10

// A Definition is a plan that was checked: its fields, and its bytes as the
// publisher sent them, laid out so that the part which executions and results
// repeat comes first. So the scheduler keeps nothing but Raw of a plan, and makes
// an execution of it without decoding.
type Definition struct {
	// Plan is the fields, plan_type filled in. Messages and Ext share the bytes
	// of Raw.
	Plan Plan
	Enc  wire.Encoding // of Raw
	// Raw is one map in Enc: the shared members, then the others, each value byte
	// for byte as it was sent, but for ids that came as numbers, which are texts
	// here. A plan_id that was made is in it; on_conflict, by and note, words to create and
	// no part of the plan, are not, and neither are nulls.
	Raw []byte
	// Shared is the sub-slice of Raw that executions and results both carry,
	// SharedCount members in the order of sharedNames, without head and brackets,
	// for [wire.Writer.BeginMapWith]. In JSON there is no comma at its end.
	Shared      []byte
	SharedFrom  int // where Shared begins in Raw
	SharedCount int // the number of members in Shared
}

// sharedNames are the members that a definition begins with, as far as it has
// them. Messages are the last, so that they can be left out ([WithoutMessages]).
var sharedNames = [...]wire.Name{
	"plan_id", "station", "command", "request_id", "caller", "description",
	"tenant_id", "category", "labels", "ext", "messages",
}

// namesFirst is how many of them name the plan.
const namesFirst = 2

func sharedIndex[T string | []byte](name T) int {
	for i := range sharedNames {
		if string(name) == string(sharedNames[i]) {
			return i
		}
	}
	return -1
}

// ParseOptions relax the requirements of a plan.
type ParseOptions struct {
	// NewID makes the plan_id when none is given; nil means [NewID].
	NewID func() string
	// NoCommand takes a plan without a command, because stations of kind pub need none.
	NoCommand bool
	// Preview takes a plan without station and command, and makes no id.
	Preview bool
	// Shown takes headers of an HTTP call that are (secret), because plans.update will put the
	// values that are stored in their place ([KeepHidden]).
	Shown bool
	// Stored: the plan is a stored one, or has been merged into it, and may hold empty texts, which a
	// request may not ([RefuseEmpty]).
	Stored bool
	// Scanned: the plan is a whole message, which was scanned within the limits of a plan,
	// the zero [wire.Limits].
	Scanned bool
}

// ParsePlan checks all of a plan that can be checked without the calendar and
// lays it out. The error is [Errors], with code invalid_plan, or too_large for
// a field or the whole. The Definition shares no bytes with v.
func ParsePlan(v wire.Value, o ParseOptions) (*Definition, error) {
	if size := len(v.Raw()); size > MaxDefinitionBytes {
		return nil, Errors{{
			Code:    CodeTooLarge,
			Message: fmt.Sprintf("the definition has %d bytes; at most %d are taken", size, MaxDefinitionBytes),
		}}
	}
	if !o.Scanned {
		// The limits of a message do not bound one plan of it (plans.import).
		if _, err := wire.ScanAs(v.Encoding(), v.Raw(), wire.Limits{}); err != nil {
			return nil, WireErrors(CodeInvalidPlan, err)
		}
	}
	d := &Definition{Enc: v.Encoding()}
	c := checker{code: CodeInvalidPlan, shown: o.Shown}
	members, err := wire.DecodeMembers(v, &d.Plan, make([]wire.Member, 0, 16))
	if err != nil {
		c.errs = WireErrors(CodeInvalidPlan, err)
	}
	if !o.Stored {
		c.emptyFields(members, &d.Plan)
	}
	c.plan(&d.Plan, o)
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	d.Plan.fill()
	if d.Plan.PlanID == "" && !o.Preview {
		d.Plan.PlanID = newID(o)
	}
	d.layOut(members, len(v.Raw()))
	return d, nil
}

func newID(o ParseOptions) string {
	if o.NewID != nil {
		return o.NewID()
	}
	return NewID()
}

// layOut makes Raw of the members of a plan, which had size bytes, and points Plan's
// values into it.
func (d *Definition) layOut(members []wire.Member, size int) {
	var shared [len(sharedNames)]wire.Value
	others := members[:0]
	for _, m := range members {
		if m.Value.Kind() == wire.KindNull || m.Name == "on_conflict" || isAttribution(m.Name) {
			continue
		}
		if i := sharedIndex(m.Name); i >= 0 {
			shared[i] = m.Value
		} else {
			others = append(others, m)
		}
	}
	w := wire.NewWriter(d.Enc, make([]byte, 0, size+48))
	w.BeginMap()
	start := len(w.Bytes())
	for i, name := range sharedNames {
		value := shared[i]
		switch {
		case name == "plan_id" && d.Plan.PlanID != "":
			w.Key(name)
			w.Text(d.Plan.PlanID)
		case value.IsZero():
			continue
		case value.Kind() == wire.KindInt && name != "ext": // an id that came as a number
			w.Key(name)
			w.Text(value.String())
		default:
			w.Key(name)
			w.Value(value)
		}
		d.SharedCount++
	}
	end := len(w.Bytes())
	for _, m := range others {
		w.KeyText(m.Name)
		if m.Name == "creator" && m.Value.Kind() == wire.KindInt {
			w.Text(m.Value.String())
		} else {
			w.Value(m.Value)
		}
	}
	w.EndMap()
	d.Raw = w.Bytes()
	d.Shared, d.SharedFrom = d.Raw[start:end:end], start
	laidOut := w.Whole()
	d.Plan.Messages = d.Plan.Messages[:0]
	for _, m := range laidOut.Field("messages").List() {
		d.Plan.Messages = append(d.Plan.Messages, m)
	}
	if !d.Plan.Ext.IsZero() {
		d.Plan.Ext = laidOut.Field("ext")
	}
}

// LoadDefinition reads the Raw of a definition that was checked before, from the
// store. It checks no more than that the bytes can be read. The Definition shares
// the bytes of raw.
func LoadDefinition(raw []byte) (*Definition, error) {
	v, err := wire.Scan(raw, wire.Limits{Items: len(raw)})
	if err != nil {
		return nil, fmt.Errorf("scan a definition: %w", err)
	}
	d := &Definition{Enc: v.Encoding(), Raw: raw}
	if err := wire.DecodeLoose(v, &d.Plan); err != nil {
		return nil, fmt.Errorf("decode a definition: %w", err)
	}
	d.Plan.fill()
	_, d.SharedFrom = wire.Members(v)
	d.Shared, d.SharedCount = SharedOf(d.Enc, raw)
	return d, nil
}

// SharedOf returns the members of the Raw of a definition that executions and results
// repeat.
func SharedOf(enc wire.Encoding, raw []byte) (shared []byte, count int) {
	members, _ := wire.Members(wire.Trust(enc, raw))
	return wire.Leading(enc, members, func(name []byte) bool { return sharedIndex(name) >= 0 })
}

// Lean returns a Raw without the messages, in bytes of its own, from which all the rest can be
// loaded. If more than most bytes would still be shared, ext is left out, too.
func (d *Definition) Lean(most int) (raw []byte) {
	shared, count := WithoutMessages(d.Enc, d.Shared)
	if len(shared) > most {
		shared, count = leadingTo(d.Enc, shared, "ext")
	}
	whole := d.Value()
	members, at := wire.Members(whole)
	others := members[d.SharedFrom-at+len(d.Shared):]
	if d.Enc == wire.MsgPack { // where the count stands before the members
		count += whole.Len() - d.SharedCount
	}
	return wire.MapOf(d.Enc, slices.Concat(shared, others), count).Raw()
}

// Value returns Raw as a value, for plans.get.
func (d *Definition) Value() wire.Value { return wire.Trust(d.Enc, d.Raw) }

// WithoutMessages returns shared members without the messages, for the stored results of a
// plan with log trigger.
func WithoutMessages(enc wire.Encoding, shared []byte) ([]byte, int) {
	return leadingTo(enc, shared, "messages")
}

// FitShared returns shared members in at most so many bytes: messages are left out first, then
// ext, and so on from the last of them to the first. Station and plan id stay.
func FitShared(enc wire.Encoding, shared []byte, count, most int) ([]byte, int) {
	for i := len(sharedNames); len(shared) > most && i > namesFirst; {
		i--
		shared, count = leadingTo(enc, shared, sharedNames[i])
	}
	return shared, count
}

// leadingTo returns the shared members before the one of that name.
func leadingTo(enc wire.Encoding, shared []byte, name wire.Name) ([]byte, int) {
	return wire.Leading(enc, shared, func(n []byte) bool { return string(n) != string(name) })
}

// CallerAndTitle reads the caller and the description among the shared members of
// a definition, for the headers that carry them.
func CallerAndTitle(enc wire.Encoding, shared []byte, count int) (caller, title string) {
	for name, v := range wire.MapOf(enc, shared, count).Map() {
		switch name {
		case "caller":
			caller, _ = v.Text()
		case "description":
			title, _ = v.Text()
		}
	}
	return caller, title
}

// fill makes explicit the meaning of an absent field, where it depends on nothing else.
func (p *Plan) fill() {
	if p.PlanType == "" {
		p.PlanType = TypeNone
	}
}
