package client_test

import (
	"log"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node/nodetest"
)

// patience bounds waits that should take milliseconds.
const patience = time.Minute

// installation starts one for an example, with a worker of station hello, which is a plain
// NATS service: it answers hello to every request.
func installation() (url string, stop func()) {
	url, stopNode := nodetest.Start()
	nc, err := nats.Connect(url, nats.Timeout(patience))
	if err != nil {
		log.Panic(err)
	}
	_, err = nc.QueueSubscribe("station.hello", "hello", func(m *nats.Msg) {
		_ = m.Respond([]byte("hello")) // a request without an answer fails the example
	})
	if err != nil {
		log.Panic(err)
	}
	if err := nc.Flush(); err != nil {
		log.Panic(err)
	}
	return url, func() {
		nc.Close()
		stopNode()
	}
}

// connected is a client of an installation of its own, made as in the example of the
// package.
func connected() (c *client.Client, stop func()) {
	url, stopAll := installation()
	nc, err := nats.Connect(url, nats.Timeout(patience))
	if err != nil {
		log.Panic(err)
	}
	if c, err = client.New(nc, client.Options{Timeout: patience}); err != nil {
		log.Panic(err)
	}
	return c, func() {
		nc.Close()
		stopAll()
	}
}
