// Package describe puts schedules into words: a plan's schedule as one sentence ([Words]),
// and notes on its unusual due times ([Notes]).
//
// Its input is a plan that was checked, and the calendar's account of it
// ([calendar.Spec.Parts], [calendar.Schedule.Reading]); its output is text in English or
// Chinese. It computes no due time, reads no clock and knows no state of a plan.
//
// A sentence says when first, then on which days, then where: "At 09:00, Monday to Friday, in
// Europe/Berlin". It is made of the values that fields have, not of their spelling, so that
// expressions which mean the same read the same.
package describe
