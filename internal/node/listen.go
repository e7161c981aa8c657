package node

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/stationmaster-io/stationmaster/broker/embed"
	"github.com/stationmaster-io/stationmaster/internal/node/roles"
)

// TLS names the files of one side of a connection, in PEM; they are read once.
type TLS struct {
	// Cert and Key are this side's own. Empty: no TLS.
	Cert, Key string
	// CA is a file of the certificates that sign the peers', which are then required.
	CA string
}

// config reads the files; nil: there are none.
func (t TLS) config(flag string, log *slog.Logger) (*tls.Config, error) {
	if t == (TLS{}) {
		return nil, nil
	}
	ours, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, t.unusable(flag, err)
	}
	warnReadable(flag+"-key", t.Key, log)
	c := &tls.Config{Certificates: []tls.Certificate{ours}, MinVersion: tls.VersionTLS12}
	if t.CA == "" {
		return c, nil
	}
	file, err := os.ReadFile(t.CA)
	if err != nil {
		return nil, fmt.Errorf("--%s-ca: %w", flag, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(file) {
		return nil, fmt.Errorf("--%s-ca %s: there is no certificate in it; it takes PEM", flag, t.CA)
	}
	c.RootCAs, c.ClientCAs, c.ClientAuth = pool, pool, tls.RequireAndVerifyClientCert
	return c, nil
}

// unusable is the error about a pair of files that gives no certificate.
func (t TLS) unusable(flag string, err error) error {
	for _, of := range []struct{ end, file string }{{"-cert", t.Cert}, {"-key", t.Key}} {
		content, failed := os.ReadFile(of.file)
		if failed != nil {
			return fmt.Errorf("--%s%s: %w", flag, of.end, failed)
		}
		if block, _ := pem.Decode(content); block == nil {
			return fmt.Errorf("--%s%s %s: it takes PEM, and there is none in it", flag, of.end, of.file)
		}
	}
	return fmt.Errorf("--%s-cert %s and --%[1]s-key %[3]s: %s", flag, t.Cert, t.Key, strings.TrimPrefix(err.Error(), "tls: "))
}

// validate returns an error when a file is missing from t.
func (t TLS) validate(flag string) error {
	if (t.Cert == "") != (t.Key == "") || t.CA != "" && t.Cert == "" {
		return fmt.Errorf("--%s-cert and --%s-key go together, also where there is --%s-ca", flag, flag, flag)
	}
	return nil
}

// validateListeners returns an error for each listener that other machines reach without
// authentication, because such a listener is open to everybody, and for each setting that
// does not fit the others.
func (c *Config) validateListeners(embedded bool) (errs []error) {
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	for _, err := range []error{c.NATSListenTLS.validate("nats-listen-tls"), c.Cluster.TLS.validate("cluster-tls")} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	wrong(!embedded && (c.NATSUsersFile != "" || c.NATSListenTLS != TLS{}),
		"--nats-users-file and --nats-listen-tls are for the embedded nats-server: leave out --nats-url")
	wrong(c.Cluster.TLS.Cert != "" && c.Cluster.TLS.CA == "", "--cluster-tls-ca: name the file of certificates that sign those of the other nodes")
	wrong(c.Cluster.Name == "" && (c.Cluster.KeyFile != "" || c.Cluster.TLS != TLS{}),
		"--cluster-key-file and --cluster-tls are for several nodes: give --cluster-name, too")
	if c.Insecure {
		return errs
	}
	const otherwise = "or, where every client that reaches it is trusted, --insecure"
	wrong(embedded && c.NATSUsersFile == "" && !isLoopback(c.NATSListen),
		"--nats-listen %s: every client that reaches it could do everything, because it has no users; give --nats-users-file (users and their roles), "+
			"or listen on 127.0.0.1, or run nats-server with deploy/nats-server.conf and give --nats-url, %s", c.NATSListen, otherwise)
	wrong(c.Cluster.Name != "" && c.Cluster.KeyFile == "" && !isLoopback(c.Cluster.Listen),
		"--cluster-listen %s: any nats-server that reaches it would be one of the cluster, see everything and do everything; "+
			"give --cluster-key-file, the same on every node (and --cluster-tls-cert, -key and -ca), or listen on 127.0.0.1, %s", c.Cluster.Listen, otherwise)
	wrong(c.HTTPTokenFile == "" && !isLoopback(c.HTTPListen),
		"--http-listen %s: REST from elsewhere needs tokens; give --http-token-file, or listen on 127.0.0.1, %s",
		c.HTTPListen, otherwise)
	return errs
}

// isLoopback reports whether only this machine reaches the address, or there is none. A
// host name counts as reachable from the network, because it may become so.
func isLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if listen == "" || err != nil || strings.EqualFold(host, "localhost") {
		return true // a malformed address is reported elsewhere
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// warnInsecure logs at each start the listeners that are open without authentication.
func (c *Config) warnInsecure(log *slog.Logger) {
	if !c.Insecure {
		return
	}
	secured := *c
	secured.Insecure = false
	for _, err := range secured.validateListeners(c.NATS.URL == "") {
		log.Warn("--insecure: " + err.Error())
	}
}

// secure sets the users, the keys and the TLS of the embedded server in o.
func (c *Config) secure(o *embed.Options, log *slog.Logger) (err error) {
	if o.TLS, err = c.NATSListenTLS.config("nats-listen-tls", log); err != nil {
		return err
	}
	if o.Cluster.TLS, err = c.Cluster.TLS.config("cluster-tls", log); err != nil {
		return err
	}
	if o.Cluster.User, o.Cluster.Password, err = c.Cluster.key(log); err != nil {
		return err
	}
	o.Users, err = c.natsUsers(log)
	return err
}

// natsUsers are the users of the embedded server; nil: every client may do everything.
func (c *Config) natsUsers(log *slog.Logger) ([]embed.User, error) {
	const flag = "nats-users-file"
	if c.NATSUsersFile == "" {
		return nil, nil
	}
	file, err := readSecret(flag, c.NATSUsersFile, log)
	if err != nil {
		return nil, err
	}
	users, err := roles.ReadUsers(bytes.NewReader(file), c.Prefix)
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", flag, c.NATSUsersFile, err)
	}
	known := make([]embed.User, len(users))
	for i, u := range users {
		known[i] = embed.User{Name: u.Name, Password: u.Password, Publish: u.Publish, Subscribe: u.Subscribe}
	}
	return known, nil
}

// shortestKey excludes passwords that can be guessed.
const shortestKey = 16

// key is the name and password by which the servers of the cluster authenticate each other;
// empty without a file.
func (c *Cluster) key(log *slog.Logger) (user, password string, err error) {
	const flag = "cluster-key-file"
	if c.KeyFile == "" {
		return "", "", nil
	}
	file, err := readSecret(flag, c.KeyFile, log)
	if err != nil {
		return "", "", err
	}
	words := strings.Fields(string(file))
	if len(words) != 2 || len(words[1]) < shortestKey {
		return "", "", fmt.Errorf("--%s %s: it takes a name and a password of at least %d bytes, such as `echo \"sm $(openssl rand -hex 32)\"` prints",
			flag, c.KeyFile, shortestKey)
	}
	return words[0], words[1], nil
}
