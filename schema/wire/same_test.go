package wire

import "testing"

func TestDefinitionsThatMeanTheSame(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[2,"x"]}`, `{ "b":[2.0, "\u0078"], "a":1e0 }`, true},
		{`0.10`, `1e-1`, true},
		{`100`, `1E2`, true},
		{`1e21`, `1000000000000000000000`, true},
		{`0`, `0.000`, true},
		{`0`, `0e5`, true},
		{`1e400`, `1e401`, false},
		{`1e-400`, `0`, false},
		{`123456789012345678901`, `123456789012345678902`, false},
		{`12345678901234567.5`, `12345678901234568`, false},
		{`{"id":18446744073709551616}`, `{"id":18446744073709551617}`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`1`, `"1"`, false},
		{`[1,2]`, `[2,1]`, false},
		{`null`, `0`, false},
	} {
		a, b := Trust(JSON, []byte(tt.a)), Trust(JSON, []byte(tt.b))
		if Same(a, b) != tt.want {
			t.Errorf("%s and %s: %v; %s, %s", a, b, !tt.want, a.Canonical(), b.Canonical())
		}
		if packed := a.In(MsgPack); tt.want && !Same(packed, b) {
			t.Errorf("%s in MessagePack and %s differ", a, b)
		}
	}
}

// A canonical number has the digits that it was sent with.
func TestCanonicalNumbersKeepTheirDigits(t *testing.T) {
	for _, text := range []string{`123456789012345678901`, `12345678901234567.5`, `18446744073709551615`, `-9223372036854775808`, `1.5`, `1e400`} {
		if got := string(Trust(JSON, []byte(text)).Canonical()); got != text {
			t.Errorf("%s is %s", text, got)
		}
	}
}
