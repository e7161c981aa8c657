package console

import (
	"net/http"
	"strings"
)

// policy lets a page load the application, ask this server, and nothing else. No script may
// write markup, because names and contents of plans are chosen by others.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'self'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// denied are the abilities of a browser that no page of the console has. A page may write to
// the clipboard, because commands are copied from it.
var denied = strings.Join([]string{
	"accelerometer=()", "autoplay=()", "camera=()", "clipboard-read=()", "display-capture=()", "encrypted-media=()",
	"fullscreen=()", "geolocation=()", "gyroscope=()", "hid=()", "idle-detection=()", "magnetometer=()", "microphone=()",
	"midi=()", "payment=()", "picture-in-picture=()", "publickey-credentials-get=()", "screen-wake-lock=()", "serial=()",
	"usb=()", "xr-spatial-tracking=()",
}, ", ")

// secure sets the headers of every answer below /ui/.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", denied)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}
