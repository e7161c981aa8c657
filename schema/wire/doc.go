// Package wire reads and writes the two encodings that Stationmaster speaks,
// JSON and MessagePack, with one set of names.
//
// Nothing is decoded before it was scanned, because bytes are untrusted: [Scan]
// walks a body once, in time proportional to its length and without allocating,
// and refuses a body that is not exactly one well-formed value: lengths beyond its
// end, keys given twice, text that is not UTF-8, numbers that are not finite, too
// much nesting, too many items. A body that passes is a [Value]: the bytes
// themselves, which can be walked, copied, transcoded or decoded into a struct
// ([Decode], and [Unmarshal] of our own programs' output) and never need a check
// again.
//
// The other way, [Marshal] encodes a struct by its json tags, and a [Writer]
// appends a value piece by piece where every nanosecond counts.
//
// The package knows encodings only, because the meaning of a map's members is
// defined by package schema.
package wire
