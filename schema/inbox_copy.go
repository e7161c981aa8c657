package schema

import "github.com/stationmaster-io/stationmaster/schema/wire"

// An ItemsCopy is some of the items of a plan's inbox, in order: a list, Items where it
// speaks the encoding of the message, otherwise Raw, in the encoding of that word. Data
// is the queue's.
type ItemsCopy struct {
	Items    wire.Value `json:"items,omitzero"`
	Raw      []byte     `json:"raw,omitempty"`
	Encoding string     `json:"encoding,omitempty"`
	Data     wire.Value `json:"data,omitzero"`
	// From is the number of the first, among all that the plan ever had.
	From int64 `json:"from,omitempty"`
	// Next is From for those behind; 0: there are none.
	Next int64 `json:"next,omitempty"`
	// Goes says that items before these were restored, in an earlier request.
	Goes bool `json:"goes_on,omitempty"`
}

// CopyItems returns items, which share an encoding, as they travel in a message of enc.
func CopyItems(items []wire.Value, enc wire.Encoding) ItemsCopy {
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
	return ItemsCopy{Items: w.Whole()}.in(enc)
}

func (c ItemsCopy) in(enc wire.Encoding) ItemsCopy {
	list, err := c.List()
	if err != nil {
		return c // whoever reads it says so
	}
	c.Items, c.Raw, c.Encoding, c.Data = list, nil, "", c.Data.In(enc)
	if list.Encoding() != enc {
		c.Items, c.Raw, c.Encoding = wire.Value{}, list.Raw(), list.Encoding().String()
	}
	return c
}

// List returns the items in their own encoding. The error is a [*Error] with code
// invalid_plan or too_large.
func (c ItemsCopy) List() (wire.Value, error) {
	list := c.Items
	if c.Raw != nil {
		enc, ok := wire.ParseEncoding(c.Encoding)
		if !ok {
			return wire.Value{}, &Error{Code: CodeInvalidPlan, Field: "items.encoding", Message: "encoding is none of json, msgpack; it says what raw is in"}
		}
		var err error
		if list, err = wire.ScanAs(enc, c.Raw, wire.Limits{Items: len(c.Raw)}); err != nil {
			return wire.Value{}, WireErrors(CodeInvalidPlan, err)
		}
	}
	if list.Kind() != wire.KindList {
		return wire.Value{}, &Error{Code: CodeInvalidPlan, Field: "items.items", Message: "items is a list, as plans.items gave it"}
	}
	return list, nil
}

// LookInbox asks plans.items: what waits in the inbox of a plan, from the item of that
// number on; at most Limit of them, 1 to 1,000 (100). It answers an [ItemsCopy].
type LookInbox struct {
	Station string `json:"station"`
	PlanID  string `json:"plan_id"`
	From    int64  `json:"from,omitempty"`
	Limit   *int64 `json:"limit,omitempty"`
}
