package httpworker

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A signature proves the sender of a callback, and that its parts are unchanged: hex of
// HMAC-SHA256 under the secret, over
//
//	METHOD \n request-URI \n time \n nonce \n body
//
// The request-URI is path and query as the request's first line has them.
type signature struct {
	method, uri, time, nonce string
	body                     []byte
}

func (s *signature) of(sk schema.Secret) string {
	mac := hmac.New(sha256.New, []byte(sk))
	for _, part := range []string{s.method, s.uri, s.time, s.nonce} {
		mac.Write([]byte(part))
		mac.Write([]byte{'\n'})
	}
	mac.Write(s.body)
	return hex.EncodeToString(mac.Sum(nil))
}
