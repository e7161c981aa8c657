package wire

// A cursor walks the members of a map or the elements of a list, without allocating. It
// checks nothing again, because it relies on the scan.
type cursor struct {
	raw  []byte
	enc  Encoding
	pos  int // behind the last member
	left int // of MessagePack: how many follow at most
	keys bool

	key     []byte // without quotes
	escaped bool   // the key holds JSON escapes
	value   Value
}

// walk returns a cursor before the first member of v, or at the end of nothing
// when v is not of the wanted kind.
func (v Value) walk(want Kind) cursor {
	c := cursor{enc: v.enc, keys: want == KindMap}
	if v.Kind() != want || want != KindMap && want != KindList {
		return c
	}
	c.raw = v.raw
	if v.enc == MsgPack {
		h, _ := headOf(v.raw)
		c.pos, c.left = h.header, h.count
	} else {
		c.pos = 1
	}
	return c
}

// next goes to the next member and reports whether there is one.
func (c *cursor) next() bool {
	if c.raw == nil {
		return false
	}
	if c.enc == MsgPack {
		return c.nextMsgpack()
	}
	return c.nextJSON()
}

func (c *cursor) nextJSON() bool {
	i := skipSpace(c.raw, c.pos)
	if i == len(c.raw) { // bare members have no bracket behind them
		return false
	}
	switch c.raw[i] {
	case '}', ']':
		return false
	case ',':
		i = skipSpace(c.raw, i+1)
	}
	if c.keys {
		end, escaped := skipText(c.raw, i)
		c.key, c.escaped = c.raw[i+1:end-1], escaped
		i = skipSpace(c.raw, end) // the colon
		i = skipSpace(c.raw, i+1)
	}
	c.pos = skipJSON(c.raw, i)
	c.value = Value{raw: c.raw[i:c.pos:c.pos], enc: JSON}
	return true
}

func (c *cursor) nextMsgpack() bool {
	if c.left == 0 || c.pos == len(c.raw) {
		return false
	}
	c.left--
	if c.keys {
		h, _ := headOf(c.raw[c.pos:])
		start := c.pos + h.header
		c.pos = start + h.size
		c.key = c.raw[start:c.pos]
	}
	end := skipMsgpack(c.raw, c.pos)
	c.value = Value{raw: c.raw[c.pos:end:end], enc: MsgPack}
	c.pos = end
	return true
}

// is reports whether the key is name.
func (c *cursor) is(name string) bool {
	if c.escaped {
		return string(appendUnescaped(nil, c.key)) == name
	}
	return string(c.key) == name
}

// name returns the key.
func (c *cursor) name() string {
	if c.escaped {
		return string(appendUnescaped(nil, c.key))
	}
	return string(c.key)
}

// skipJSON returns the position behind the JSON value at i.
func skipJSON(b []byte, i int) int {
	for depth := 0; ; {
		switch b[i] {
		case '"':
			i, _ = skipText(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ' ', '\n', '\t', '\r', ',', ':':
			i++
			continue
		default:
			for i < len(b) && isScalar(b[i]) {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
}

// isScalar reports whether c is part of a JSON number, true, false or null.
func isScalar(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// skipMsgpack returns the position behind the MessagePack value at i.
func skipMsgpack(b []byte, i int) int {
	for left := 1; left > 0; left-- {
		h, _ := headOf(b[i:])
		i += h.header + h.size
		switch h.kind {
		case KindList:
			left += h.count
		case KindMap:
			left += 2 * h.count
		}
	}
	return i
}
