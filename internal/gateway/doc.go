// Package gateway is the REST side of an installation: HTTP cron jobs and their runs,
// merge queues in the form of `/v3/queue`, plans, stations and workers, callbacks of
// asynchronous HTTP calls, and a live stream of results and events.
//
// It is a client like any other: in come HTTP requests, out go requests of the NATS
// services, through package client, and it knows nothing else of the scheduler. It decides
// nothing that a service decides: errors in a plan, priorities, the meaning of a cursor.
// Its own part is HTTP: authorisation, the form of a body, the status of an error, entity
// tags, and the distribution of the live stream.
//
// One table, routes, is the source of the served routes and of the OpenAPI document at
// /openapi.json; the shapes that the document names are in components.json, and tests hold
// both the Go types and every answer to it.
//
// It keeps no state between requests but the live stream's one subscription, which exists
// while there are readers, and bulk jobs, which end with it. Any number of gateways may serve one installation.
package gateway
