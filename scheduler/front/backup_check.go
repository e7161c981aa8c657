package front

import (
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// CheckCopy checks a plan of a backup as plans.restore does before it asks anybody, and returns the
// command to restore it; of a merge queue, the record that its first push has. Facts that only the
// installation knows are not checked: whether its secrets exist, how long calls may take, and
// whether the station lets a plan have no command. The error is a *[schema.Error], or [schema.Errors].
func CheckCopy(c schema.PlanCopy) (command.RestorePlan, error) {
	definition, err := definitionOf(c)
	if err != nil {
		return command.RestorePlan{}, err
	}
	if err := checkSize(definition, schema.CodeInvalidPlan); err != nil {
		return command.RestorePlan{}, err
	}
	d, err := schema.ParsePlan(definition, schema.ParseOptions{Stored: true, Scanned: true, NoCommand: true})
	if err != nil {
		return command.RestorePlan{}, err
	}
	if c.Inbox != nil {
		terms, _, err := inboxOf(c)
		return command.RestorePlan{Definition: d, Record: terms.Record}, err
	}
	record, err := recordOf(c)
	return command.RestorePlan{Definition: d, Record: record}, err
}

// definitionOf is the definition of a plan that is to be restored; it must have an id.
func definitionOf(c schema.PlanCopy) (wire.Value, error) {
	definition, err := c.Definition()
	if err != nil {
		return wire.Value{}, err
	}
	if id := definition.Field("plan_id"); id.IsZero() || id.Kind() == wire.KindNull {
		return wire.Value{}, wrongCopy("plan_id", "plan_id is missing; a plan is restored under the one that it had")
	}
	return definition, nil
}

// checkSize holds a definition from a request of many to the limits of one.
func checkSize(definition wire.Value, code schema.Code) error {
	if _, err := wire.ScanAs(definition.Encoding(), definition.Raw(), ordinary); err != nil {
		return schema.WireErrors(code, err)
	}
	return nil
}

// recorded are the limits of a plan's record: with a hundred open occurrences, each in
// flight, it has some sixty thousand bytes in JSON.
var recorded = wire.Limits{Bytes: 128 << 10, Items: maxItems, Depth: maxDepth}

// recordOf is the record of a plan that is to be restored, as the machine reads it.
func recordOf(c schema.PlanCopy) (wire.Value, error) {
	if _, err := wire.ScanAs(c.Record.Encoding(), c.Record.Raw(), recorded); err != nil && !c.Record.IsZero() {
		return wire.Value{}, wrongCopy("record", "record: %v", err)
	}
	return c.Record.In(wire.MsgPack), nil
}

// inboxOf checks the terms of an inbox and its items.
func inboxOf(c schema.PlanCopy) (terms command.InboxTerms, items []wire.Value, err error) {
	if c.Items == nil {
		return terms, nil, wrongCopy("items", "items is missing; it is the list of the inbox's items, as plans.items gave it")
	}
	switch in := c.Inbox; {
	case len(in.Key) > schema.MaxQueueKey:
		return terms, nil, wrongCopy("inbox.key", "key has %d bytes; at most %d are taken", len(in.Key), schema.MaxQueueKey)
	case !slices.Contains([]schema.Manner{schema.MannerDeliver, schema.MannerTell, schema.MannerHold}, in.Manner):
		return terms, nil, wrongCopy("inbox.manner", "manner is none of tell, hold; leave it out where the items are delivered")
	}
	if err := schema.CheckAbandonAfter(c.Inbox.AbandonAfter); err != nil {
		return terms, nil, err
	}
	record, err := recordOf(c)
	if err != nil {
		return terms, nil, err
	}
	data, err := c.Items.QueueData()
	if err != nil {
		return terms, nil, err
	}
	list, err := c.Items.List()
	if err != nil {
		return terms, nil, err
	}
	if n := list.Len(); n > schema.MaxItemsCopied {
		return terms, nil, wrongCopy("items.items", "items has %d items; at most %d are taken at a time, the others with goes_on", n, schema.MaxItemsCopied)
	}
	for i, item := range list.List() {
		if n := len(item.Raw()); n > schema.MaxItemBytes {
			return terms, nil, &schema.Error{
				Code: schema.CodeTooLarge, Field: "items.items",
				Message: fmt.Sprintf("item %d has %d bytes; at most %d are taken", i+1, n, schema.MaxItemBytes),
			}
		}
		items = append(items, item)
	}
	terms = command.InboxTerms{Key: c.Inbox.Key, Manner: c.Inbox.Manner, AbandonAfter: c.Inbox.AbandonAfter, Data: data, Record: record}
	return terms, items, nil
}

func wrongCopy(field, format string, args ...any) error {
	return &schema.Error{Code: schema.CodeInvalidPlan, Field: field, Message: fmt.Sprintf(format, args...)}
}
