package roles

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A User is who may connect.
type User struct {
	Name     string
	Password string // as it is, or as bcrypt has it
	Rights
}

// shortestPassword keeps out what can be guessed; bcrypt looks at no more than
// longestPassword.
const (
	shortestPassword = 16
	longestPassword  = 72
)

// ReadUsers reads a file of lines "name password role", with the names of stations behind
// the role of a worker: those where every worker has every execution (kinds vote and pub)
// as "name:fanout". Empty lines and such that begin with # are passed over. A password is
// text of 16 to 72 bytes without spaces, or its bcrypt hash. The rights are those in
// the installation with a prefix.
func ReadUsers(in io.Reader, prefix string) ([]User, error) {
	var users []User
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		u, err := readUser(words, prefix)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if slices.ContainsFunc(users, func(o User) bool { return o.Name == u.Name }) {
			return nil, fmt.Errorf("line %d: there is a user %s already", number, u.Name)
		}
		users = append(users, u)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read users: %w", err)
	}
	if len(users) == 0 {
		return nil, errors.New("there is no user in it, so nobody could connect")
	}
	return users, nil
}

func readUser(words []string, prefix string) (User, error) {
	if len(words) < 3 {
		return User{}, fmt.Errorf("it has %d words; write a name, a password, a role, and the stations of a worker", len(words))
	}
	name, password, role := words[0], words[1], words[2]
	if err := schema.CheckID(name); err != nil {
		return User{}, fmt.Errorf("user %q %w", name, err)
	}
	if len(password) < shortestPassword {
		return User{}, fmt.Errorf("the password of %s has %d bytes; take at least %d, such as `openssl rand -hex 32` prints", name, len(password), shortestPassword)
	}
	if len(password) > longestPassword {
		return User{}, fmt.Errorf("the password of %s has %d bytes; bcrypt takes %d at most", name, len(password), longestPassword)
	}
	if !slices.Contains(Names, role) {
		return User{}, fmt.Errorf("role %q of %s is none; write %s", role, name, list(Names))
	}
	stations, err := readStations(words[3:])
	switch {
	case err != nil:
		return User{}, fmt.Errorf("user %s: %w", name, err)
	case role == Worker && len(stations) == 0:
		return User{}, fmt.Errorf("worker %s has no station; write their names behind its role", name)
	case role != Worker && len(stations) > 0:
		return User{}, fmt.Errorf("%s is no worker, but has stations", name)
	}
	return User{name, password, Of(role, name, prefix, stations)}, nil
}

func readStations(words []string) (stations []Station, err error) {
	for _, word := range words {
		var s Station
		s.Name, s.Fanout = strings.CutSuffix(word, ":fanout")
		if err := schema.CheckStation(s.Name); err != nil {
			return nil, fmt.Errorf("station %q %w", s.Name, err)
		}
		stations = append(stations, s)
	}
	return stations, nil
}
