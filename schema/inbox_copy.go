package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// MaxItemsCopied is how many items of an inbox travel together.
const MaxItemsCopied = 1000

// An ItemsCopy is some of the items of a plan's inbox, in order: a list, Items where it
// speaks the encoding of the message, otherwise Raw, in the encoding of that word. Data
// is the queue's, and RawData in its place where it speaks as Raw does.
type ItemsCopy struct {
	Items    wire.Value `json:"items,omitzero"`     // zero when Raw is given
	Raw      []byte     `json:"raw,omitempty"`      // in JSON as base64; nil when Items is given
	Encoding string     `json:"encoding,omitempty"` // of Raw and RawData: json or msgpack; empty without Raw
	Data     wire.Value `json:"data,omitzero"`      // a map; zero: none
	RawData  []byte     `json:"raw_data,omitempty"` // in JSON as base64; nil: none
	// From is the number of the first, among all that the plan ever had.
	From int64 `json:"from,omitempty"`
	// Next is From for those behind; 0: there are none.
	Next int64 `json:"next,omitempty"`
	// Goes is set when items before these were restored, in an earlier request.
	Goes bool `json:"goes_on,omitempty"`
}

// CopyItems returns items, which share an encoding, and the data of their queue as they
// travel in a message of enc.
func CopyItems(items []wire.Value, data wire.Value, enc wire.Encoding) ItemsCopy {
	of := enc
	if len(items) > 0 {
		of = items[0].Encoding()
	}
	w := wire.NewWriter(of, nil)
	w.BeginList()
	for _, item := range items {
		w.Value(item.In(of))
	}
	w.EndList()
	return ItemsCopy{Items: w.Whole(), Data: data}.in(enc)
}

func (c ItemsCopy) in(enc wire.Encoding) ItemsCopy {
	list, err := c.List()
	if err != nil {
		return c // its reader reports the error
	}
	data, err := c.QueueData()
	if err != nil {
		return c
	}
	of := list.Encoding()
	c.Items, c.Raw, c.Encoding, c.Data, c.RawData = list, nil, "", data.In(of), nil
	if of == enc {
		return c
	}
	c.Items, c.Raw, c.Encoding = wire.Value{}, list.Raw(), of.String()
	if !data.IsZero() {
		c.Data, c.RawData = wire.Value{}, c.Data.Raw()
	}
	return c
}

// List returns the items in their own encoding. The error is a [*Error] with code
// invalid_plan or too_large.
func (c ItemsCopy) List() (wire.Value, error) {
	list := c.Items
	if c.Raw != nil {
		var err error
		if list, err = c.scan(c.Raw); err != nil {
			return wire.Value{}, err
		}
	}
	if list.Kind() != wire.KindList {
		return wire.Value{}, &Error{Code: CodeInvalidPlan, Field: "items.items", Message: "items is a list, as plans.items gave it"}
	}
	return list, nil
}

// QueueData returns the queue's data in its own encoding; the zero Value when there is
// none. The error is as that of List.
func (c ItemsCopy) QueueData() (wire.Value, error) {
	data := c.Data
	if c.RawData != nil {
		var err error
		if data, err = c.scan(c.RawData); err != nil {
			return wire.Value{}, err
		}
	}
	switch data.Kind() {
	case wire.KindAbsent, wire.KindNull, wire.KindMap:
		return data, nil
	}
	return wire.Value{}, &Error{Code: CodeInvalidPlan, Field: "items.data", Message: "data takes a map"}
}

// scan reads raw in the encoding that c names.
func (c ItemsCopy) scan(raw []byte) (wire.Value, error) {
	enc, ok := wire.ParseEncoding(c.Encoding)
	if !ok {
		return wire.Value{}, &Error{Code: CodeInvalidPlan, Field: "items.encoding", Message: "encoding is none of json, msgpack; it names the encoding of raw"}
	}
	v, err := wire.ScanAs(enc, raw, wire.Limits{Items: len(raw)})
	if err != nil {
		return wire.Value{}, WireErrors(CodeInvalidPlan, err)
	}
	return v, nil
}

// LookInbox asks plans.items: the items in the inbox of a plan, from the item of that
// number on; at most Limit of them, 1 to 1,000 (100). It answers an [ItemsCopy].
type LookInbox struct {
	Station string `json:"station"`                       // the plan's station
	PlanID  string `json:"plan_id" wire:"numeric"`        // the plan's id, unique at its station
	From    int64  `json:"from,omitempty"`                // among all that the plan ever had; 0: the first that waits
	Limit   int64  `json:"limit,omitempty" wire:"1-1000"` // 1 to 1,000; 0: 100
}
