package node

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// A userSeed is the secret half of a user's key, as nsc and nk write it.
var userSeed = regexp.MustCompile(`(?m)^\s*SU[A-Z2-7]{56}\s*$`)

// checkFiles returns an error for files of the connection that cannot be read, or hold something
// else, because the errors of their readers name neither the flag nor what to put there.
func (e External) checkFiles() error {
	if e.Creds != "" && e.NKey != "" {
		return errors.New("--nats-creds and --nats-nkey: give one of them")
	}
	if (e.TLSCert == "") != (e.TLSKey == "") {
		return errors.New("--nats-tls-cert and --nats-tls-key go together")
	}
	isSeed := func(content []byte) bool { return userSeed.Match(content) }
	isPEM := func(content []byte) bool { block, _ := pem.Decode(content); return block != nil }
	const (
		takesSeed = "it takes the seed of a user's key, a line that begins with SU, and there is none in it"
		takesPEM  = "it takes PEM, and there is none in it"
	)
	for _, f := range []struct {
		flag, name string
		fits       func([]byte) bool
		takes      string
	}{
		{"creds", e.Creds, isSeed, takesSeed}, {"nkey", e.NKey, isSeed, takesSeed},
		{"tls-ca", e.TLSCA, isPEM, takesPEM}, {"tls-cert", e.TLSCert, isPEM, takesPEM}, {"tls-key", e.TLSKey, isPEM, takesPEM},
	} {
		if f.name == "" {
			continue
		}
		content, err := os.ReadFile(f.name)
		if err != nil {
			return fmt.Errorf("--nats-%s: %w", f.flag, err)
		}
		if !f.fits(content) {
			return fmt.Errorf("--nats-%s %s: %s", f.flag, f.name, f.takes)
		}
	}
	if e.TLSCert == "" {
		return nil
	}
	if _, err := tls.LoadX509KeyPair(e.TLSCert, e.TLSKey); err != nil {
		return TLS{Cert: e.TLSCert, Key: e.TLSKey}.unusable("nats-tls", err)
	}
	return nil
}
