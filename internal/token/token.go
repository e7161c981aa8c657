// Package token makes and opens the tokens with which the target of an ASYNC call answers
// later: a keyed helper of the HTTP worker, which makes them, and of the gateway, which opens
// them. The cookies of the console's sessions are sealed likewise, with a key of their own.
//
// The right to answer an execution is its reply subject, which holds a nonce. A token is that
// subject and its expiry, encrypted and authenticated with a key that all nodes of an
// installation have. So no state is stored for it, each token fits one execution only, and
// neither a changed nor a guessed token opens.
package token

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"
)

var (
	// ErrWrong: the text is no token of this installation, or not a whole one.
	ErrWrong = errors.New("the token is wrong")
	// ErrExpired: it was one, and its time has passed.
	ErrExpired = errors.New("the token has expired")
)

// A Key makes and opens tokens. It is safe for concurrent use.
type Key struct{ secret []byte }

const (
	// version is the first byte of a token, so that its form can change.
	version = 1
	// saltSize is that of the salt, which gives each token a key of its own, so that the nonce
	// may repeat during the life of an installation.
	saltSize   = 16
	expirySize = 8
	// maxToken is more than any token has, in bytes, because the longest reply subject has
	// some 500.
	maxToken = 2048
)

// New derives the key of callback tokens from a secret of the installation; the secret itself
// is used for nothing.
func New(secret []byte) Key { return derive(secret, "stationmaster callback token") }

// ForSessions derives the key of sessions. A session that it seals is no callback token, and vice
// versa.
func ForSessions(secret []byte) Key { return derive(secret, "stationmaster session") }

func derive(secret []byte, purpose string) Key {
	derived, err := hkdf.Key(sha256.New, secret, nil, purpose, sha256.Size)
	if err != nil {
		panic(err) // only for lengths beyond all reason
	}
	return Key{derived}
}

// Make returns a token for the execution that is answered on a reply subject, or for the plain
// bytes of a session. It is good up to expires, to the second. It is text that fits a header and a query.
func (k Key) Make(reply string, expires time.Time) string {
	head := make([]byte, 1+saltSize, 1+saltSize+expirySize+len(reply)+sha256.Size)
	head[0] = version
	rand.Read(head[1:]) // never fails
	plain := binary.BigEndian.AppendUint64(nil, uint64(expires.Unix()))
	plain = append(plain, reply...)
	sealed := k.cipher(head).Seal(head, make([]byte, nonceSize), plain, head)
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// Open returns the reply subject, or the bytes, for which a token was made. The error is [ErrWrong],
// or [ErrExpired].
func (k Key) Open(token string, now time.Time) (reply string, err error) {
	if len(token) > maxToken {
		return "", ErrWrong
	}
	// Strict, because otherwise the unused bits of the last letter could differ.
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(sealed) < 1+saltSize || sealed[0] != version {
		return "", ErrWrong
	}
	head := sealed[:1+saltSize]
	plain, err := k.cipher(head).Open(nil, make([]byte, nonceSize), sealed[len(head):], head)
	if err != nil || len(plain) < expirySize {
		return "", ErrWrong
	}
	if now.Unix() > int64(binary.BigEndian.Uint64(plain)) {
		return "", ErrExpired
	}
	return string(plain[expirySize:]), nil
}

const nonceSize = 12

// cipher is that of one token. Its key is used once, so the nonce may be all zero.
func (k Key) cipher(head []byte) cipher.AEAD {
	mac := hmac.New(sha256.New, k.secret)
	mac.Write(head)
	block, err := aes.NewCipher(mac.Sum(nil))
	if err != nil {
		panic(err) // 32 bytes are AES-256
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has the block size that GCM needs
	}
	return aead
}
