package main

import "regexp"

// longerHint is the hint about an answer that did not come, for commands that have the flag.
const longerHint = " --timeout gives it longer"

// rawWords are texts of Go and of nats.go, and those for users in their place.
var rawWords = []struct {
	raw *regexp.Regexp
	by  string
}{
	{regexp.MustCompile(` \((?:context deadline exceeded|nats: no responders available for request)\)`), ``},
	{regexp.MustCompile(`(?:(?:read|write) tcp \S+->\S+|dial tcp \S+): i/o timeout`), `no answer came in time; is that a nats-server? --timeout gives it longer`},
	{regexp.MustCompile(`(?:dial tcp(?: \S+)?: )?lookup (\S+?)(?: on \S+)?: no such host`), `no host has the name $1`},
	{regexp.MustCompile(`dial tcp (\S+): connect: connection refused`), `nothing listens at $1`},
	{regexp.MustCompile(`dial tcp (\S+): connect: `), `$1 cannot be reached: `},
	{regexp.MustCompile(`(connect to \S+): EOF`), `$1: it ended the connection; is that a nats-server, and its own port?`},
	{regexp.MustCompile(`nats: secure connection not available`), `that server takes no TLS: write nats:// for tls://, and give no --nats-tls-ca`},
	{regexp.MustCompile(`malformed HTTP (?:status code|response|version) ".*"`), `that server speaks no WebSocket there: write nats:// for ws://`},
	{regexp.MustCompile(`listen tcp (\S+): bind: address already in use`), `something listens at $1 already`},
	{regexp.MustCompile(`listen tcp (\S+): bind: (permission denied|cannot assign requested address)`), `$1 cannot be listened at: $2`},
	{regexp.MustCompile(`listen tcp: address (\S+?): invalid port`), `$1 is no port: it is a number up to 65535`},
	{regexp.MustCompile(`open bucket \S+: nats: bucket not found`), `this installation has no leaders yet: none of its nodes was ready, or it has another --prefix`},
	{regexp.MustCompile(`context deadline exceeded|nats: timeout|i/o timeout`), `no answer came in time; --timeout gives it longer`},
	{regexp.MustCompile(`context canceled`), `a signal ended it`},
	{regexp.MustCompile(`(?i)nats: (authorization violation|(?:user )?authentication (?:expired|revoked))`), `the server refuses this user ($1): check its name and password in --nats-url, or --nats-creds and --nats-nkey`},
	{regexp.MustCompile(`nats: permissions violation: Permissions Violation for Subscription to "([^"]+)"(?: using queue "[^"]*")?`), `it may not subscribe to $1`},
	{regexp.MustCompile(`nats: permissions violation: Permissions Violation for Publish to "([^"]+)"`), `it may not publish to $1`},
	{regexp.MustCompile(`nats: no servers available for connection`), `no nats-server listens there`},
}

// withoutRawWords is a text without the words of libraries.
func withoutRawWords(text string) string {
	for _, r := range rawWords {
		text = r.raw.ReplaceAllString(text, r.by)
	}
	return text
}
