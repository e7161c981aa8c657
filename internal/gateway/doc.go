// Package gateway is the REST side of an installation: tasks of seed 002 and their
// runs, merge queues in the form of seed 004, plans, stations and workers, callbacks of
// asynchronous HTTP calls, and a live stream of what happens.
//
// It is a client like any other: in come HTTP requests, out go requests of the NATS
// services, through package client, and of the scheduler it knows nothing else. It
// decides nothing that a service decides: what is wrong with a plan, who comes first,
// what a cursor means. What is its own is HTTP: who may ask, what a body may be, which
// status an error is, entity tags, and how the live stream is shared out.
//
// One table, routes, is the source of what is served and of the OpenAPI document at
// /openapi.json; the shapes that the document names are in components.json, and tests
// hold both the Go types and every answer to it.
//
// Nothing is kept between requests but the live stream's one subscription, which
// stands while somebody reads. Any number of gateways may serve one installation.
package gateway
