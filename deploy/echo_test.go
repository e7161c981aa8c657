package deploy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
)

// JetStream acknowledges a stored message on the reply subject that its sender chose, with
// the server's own rights. So for each subject that a role may publish on, with a reply
// subject in each stream and bucket of the installation, no acknowledgement may arrive
// there, nor in any other stream.
func TestNoMessageOfARoleIsEchoedIntoAStream(t *testing.T) {
	s := startServer(t, "")
	admin := s.connect(scheduler)
	if _, err := broker.Provision(t.Context(), admin.Conn, broker.Config{}); err != nil {
		t.Fatal(err)
	}
	streams := s.streams()
	for _, user := range s.users {
		if user.Username == scheduler || user.Username == operator {
			continue // roles that must be trusted
		}
		t.Run(user.Username, func(t *testing.T) {
			before := ends(t, admin, streams)
			c := s.connect(user.Username)
			inbox := c.NewInbox()
			echo, err := c.SubscribeSync(inbox)
			if err != nil {
				t.Fatal(err)
			}
			answers := map[string]uint64{} // by stream, the messages that the role may publish to it itself
			for _, allowed := range user.Permissions.Publish.Allow {
				subject := concrete(allowed)
				replies := []string{inbox}
				for _, stream := range streams {
					for _, of := range stream.Subjects {
						replies = append(replies, concrete(of))
					}
				}
				for _, stream := range streams {
					if stream.NoAck && slices.ContainsFunc(stream.Subjects, func(of string) bool { return covers(of, subject) }) {
						answers[stream.Name] += uint64(len(replies))
					}
				}
				for _, reply := range replies {
					if err := c.PublishRequest(subject, reply, []byte(`{"worker_id":"hello-1","stations":["hello"],"state":"ok"}`)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := c.settled(); err != nil {
				t.Fatal(err)
			}
			after := ends(t, admin, streams)
			for _, stream := range streams {
				if arrived := after[stream.Name] - before[stream.Name] - answers[stream.Name] - stream.barriers(); arrived != 0 {
					t.Errorf("%d messages arrived in stream %s", arrived, stream.Name)
				}
			}
			if m, _ := echo.NextMsg(1); m != nil && m.Header.Get("Status") != "503" {
				t.Errorf("an echo: %s", m.Data)
			}
		})
	}
}

// A stream is one of the installation's.
type stream jetstream.StreamConfig

// barriers are the messages that ends puts into a stream.
func (s *stream) barriers() uint64 {
	if s.NoAck {
		return 0
	}
	return 2
}

func (s *site) streams() (all []*stream) {
	s.t.Helper()
	js, err := jetstream.New(s.connect(operator).Conn, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		s.t.Fatal(err)
	}
	infos := js.ListStreams(s.t.Context())
	for info := range infos.Info() {
		c := stream(info.Config)
		all = append(all, &c)
	}
	if err := infos.Err(); err != nil || len(all) < 9 {
		s.t.Fatalf("%d streams: %v", len(all), err)
	}
	return all
}

// ends returns the last sequence of each stream, once it has stored all messages sent to it
// so far. When a message is acknowledged, all before it are stored, and their
// acknowledgements sent; those may go to another stream, so there is a second round.
func ends(t *testing.T, admin *conn, streams []*stream) map[string]uint64 {
	t.Helper()
	for range 2 {
		for _, s := range streams {
			if s.NoAck {
				continue
			}
			answer, err := admin.Request(concrete(s.Subjects[0]), nil, patience)
			if err != nil || !strings.Contains(string(answer.Data), `"seq"`) {
				t.Fatalf("stream %s: %v", s.Name, err)
			}
		}
	}
	js, err := jetstream.New(admin.Conn, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]uint64{}
	for _, s := range streams {
		is, err := js.Stream(t.Context(), s.Name)
		if err != nil {
			t.Fatal(err)
		}
		all[s.Name] = is.CachedInfo().State.LastSeq
	}
	return all
}

// concrete is a subject that a pattern covers.
func concrete(pattern string) string {
	tokens := strings.Split(pattern, ".")
	for i, token := range tokens {
		if token == "*" || token == ">" {
			tokens[i] = "x"
		}
	}
	return strings.Join(tokens, ".")
}

func covers(pattern, subject string) bool {
	sub, literal := strings.Split(pattern, "."), strings.Split(subject, ".")
	for i, token := range sub {
		switch {
		case token == ">":
			return len(literal) > i
		case i >= len(literal), token != "*" && token != literal[i]:
			return false
		}
	}
	return len(sub) == len(literal)
}
