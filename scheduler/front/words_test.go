package front_test

import (
	"regexp"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/scheduler/front"
)

// libraryWords match errors of Go and of libraries, which are not written for users.
var libraryWords = regexp.MustCompile(`strconv|[^-_a-z]time: |[^-_a-z]json: |yaml: |msgpack: |cannot unmarshal|!!|interface \{\}|\[[A-Za-z_]+( [A-Za-z_]+)+\]|%!`)

// No answer has the wording of a library. Every endpoint gets invalid requests, in either
// encoding, with NaN and infinities among them.
func TestWrongRequestsAreReportedInPlainWords(t *testing.T) {
	const double = "\xcb"
	bodies := []string{
		"hello", "{", `{"a":`, "[1]", `{"nonsense":1}`, `{"plan_id":{},"station":[],"key":true,"id":[],"code":7.5,"name":{}}`,
		`{"station":"s","plan_id":"p","key":"k","id":"i","code":"c","name":"n","type":"t","limit":"x","count":"x","n":"x","number":"x","revision":-1,"cursor":"%"}`,
		`{"station":"s","plan_id":"p","plan_type":"seconds","plan_value":1e30,"plan_repet":1.5,"plan_time":"noon","cron":"x","timezone":"berlin","labels":[1],"messages":7}`,
		`{"station":"s","plan_id":"p","status":"no","state":"no","log":"no","on_conflict":"no","kind":"no","from":"x","to":"x","due_from":"x","wait_ms":1e300,"limit":1e300}`,
		`{"plans":7,"tasks":"x","plan":9,"item":1,"task":1,"ontime":"x","abandon_after":"x","cron_expressions":"x","config":7,"callback":7,"retry":"x","value":7,"hosts":7}`,
		"\x81\xaaplan_value" + double + "\x7f\xf8\x00\x00\x00\x00\x00\x01", "\x81\xa6jitter" + double + "\x7f\xf0\x00\x00\x00\x00\x00\x00",
		"\x81\xa9plan_time\xc7\x0c\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x81\xa9plan_time" + double + "\x7e\x37\xe4\x3c\x88\x00\x75\x9c",
		"\x81\x01\x01", "\xdd\xff\xff\xff\xff", "\x81\xa7station\xa1\xff",
	}
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		d := openOn(t, ns, &leader{script: obliging})
		for _, subject := range front.Subjects() {
			for _, body := range bodies {
				m := d.send(subject, []byte(body))
				answer := jsonOf(t, m.Data) + m.Header.Get("Nats-Service-Error")
				if found := libraryWords.FindString(answer); found != "" {
					t.Errorf("%s %q: %q in %s", subject, body, found, answer)
				}
			}
		}
	})
}
