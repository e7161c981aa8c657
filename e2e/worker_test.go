package e2e

import (
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
)

// A worker serves a station as any client can, by subscribing in the queue group.
type worker struct {
	feed
}

func (c *client) worker(station string) *worker {
	c.t.Helper()
	sub, err := c.nc.QueueSubscribeSync("station."+station, station)
	if err != nil {
		c.t.Fatal(err)
	}
	c.flush()
	return &worker{feed{c, sub}}
}

// An execution is one delivery to a worker.
type execution struct {
	body
	c   *client
	msg *nats.Msg
	enc codec
}

func (w *worker) take() *execution {
	w.c.t.Helper()
	msg := w.msg()
	return &execution{body: w.c.open(msg), c: w.c, msg: msg, enc: speaks(msg.Data)}
}

// serve answers every execution in its own encoding, until the test ends.
func (c *client) serve(station string, answer func(*execution) any) {
	c.t.Helper()
	sub, err := c.nc.QueueSubscribe("station."+station, station, func(msg *nats.Msg) {
		enc := speaks(msg.Data)
		v, err := enc.decode(msg.Data)
		if err != nil {
			return
		}
		x := &execution{c: c, msg: msg, enc: enc, body: v.(map[string]any)}
		if reply := answer(x); reply != nil {
			raw, err := enc.encode(reply)
			if err == nil {
				_ = msg.Respond(raw)
			}
		}
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = sub.Unsubscribe() })
	c.flush()
}

// send publishes a reply, in the execution's encoding.
func (x *execution) send(reply any) {
	x.c.t.Helper()
	x.sendIn(x.enc, reply)
}

func (x *execution) sendIn(enc codec, reply any) {
	x.c.t.Helper()
	raw, err := enc.encode(reply)
	if err != nil {
		x.c.t.Fatal(err)
	}
	x.sendRaw(&nats.Msg{Data: raw})
}

func (x *execution) sendRaw(msg *nats.Msg) {
	x.c.t.Helper()
	msg.Subject = x.msg.Reply
	if err := x.c.nc.PublishMsg(msg); err != nil {
		x.c.t.Fatal(err)
	}
}

// request is send with an inbox, and returns the scheduler's answer to it.
func (x *execution) request(reply any) body {
	x.c.t.Helper()
	raw, err := x.enc.encode(reply)
	if err != nil {
		x.c.t.Fatal(err)
	}
	return x.c.open(x.c.ask(x.msg.Reply, raw))
}

func (x *execution) ok()                  { x.c.t.Helper(); x.send(body{"state": "ok"}) }
func (x *execution) head(k string) string { return x.msg.Header.Get(k) }

// n is the number of the execution.
func (x *execution) n() int64 {
	number, _, _ := strings.Cut(x.text("exec"), "-")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		x.c.t.Errorf("exec is %q: %v", x.text("exec"), err)
	}
	return n
}

// nonce is the secret part of the execution's name.
func (x *execution) nonce() string {
	_, nonce, _ := strings.Cut(x.text("exec"), "-")
	return nonce
}

func ok(*execution) any { return body{"state": "ok"} }

// respondOK answers ok in the execution's encoding, without any other member.
func respondOK(msg *nats.Msg) {
	if raw, err := speaks(msg.Data).encode(body{"state": "ok"}); err == nil {
		_ = msg.Respond(raw)
	}
}
