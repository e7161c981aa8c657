// Package console serves the web console below /ui/: its pages, its script and its style.
//
// Every page is one document, the shell, which holds the session of the request in a `meta`
// element and loads the application; the application gets all else by REST. So this package
// knows neither plans nor requests: in come a path and the session that the gateway found,
// out go a document and files. It sets the headers that keep a browser from running anything
// but the application, and seals and opens the cookie of a session.
//
// The application is built from app into dist, which is embedded: a program that is built
// from a clone with Go alone has the console. The elements of the shell that the application
// reads:
//
//	<meta name="base" content="/sm">           what all paths begin with; empty: nothing
//	<meta name="session" content='{"role":…}'> the answer of GET /api/v1/session; empty: there is
//	                                           no session, or it did not come along with a link
//	                                           from another site: ask GET /api/v1/session once
//	<link rel="preload" id="data" href="…">    the address of the page's data, under way already
package console

//go:generate go run -C build .
