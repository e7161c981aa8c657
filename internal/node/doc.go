// Package node runs one process of Stationmaster: it starts everything in order
// and stops it in the opposite order.
//
//	embedded nats-server, or an external one
//	  └─ connections: one for the stores, one for executions, one for requests, so
//	     that a flood of requests delays neither lease nor journal
//	       └─ the installation's streams and buckets, created when missing
//	            ├─ scheduler: follows, leads
//	            └─ front: the services
//	HTTP: /healthz, /readyz
//
// In comes a [Config]; out comes a [Node] that can be reached over NATS. `serve`,
// `demo`, the benchmark and the end-to-end tests all start the same one. It decides
// nothing about plans and knows no flags, files or variables, because those belong
// to package main.
package node
