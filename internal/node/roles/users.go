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

// A User is one user of a nats-server, with its password and rights.
type User struct {
	Name     string
	Password string // plain, or a bcrypt hash
	Rights
}

// shortestPassword excludes passwords that can be guessed; longestPassword is the most that
// bcrypt looks at.
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
			return nil, fmt.Errorf("line %d: there is a user of that name already", number)
		}
		users = append(users, u)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read users: %w", err)
	}
	if len(users) == 0 {
		return nil, errors.New("there is no user in it, so no client could connect")
	}
	return users, nil
}

// readUser reads the words of a line. Its errors repeat no word, because any of them may be
// a password in the wrong place.
func readUser(words []string, prefix string) (User, error) {
	if len(words) < 3 {
		return User{}, fmt.Errorf("it has %d words; write a name, a password, a role, and the stations of a worker", len(words))
	}
	name, password, role := words[0], words[1], words[2]
	if err := schema.CheckID(name); err != nil {
		return User{}, fmt.Errorf("the name %w", err)
	}
	if len(password) < shortestPassword {
		return User{}, fmt.Errorf("the password has %d bytes; take at least %d, such as `openssl rand -hex 32` prints", len(password), shortestPassword)
	}
	if len(password) > longestPassword {
		return User{}, fmt.Errorf("the password has %d bytes; bcrypt takes %d at most", len(password), longestPassword)
	}
	if !slices.Contains(Names, role) {
		return User{}, fmt.Errorf("the third word is no role; write %s", list(Names))
	}
	stations, err := readStations(words[3:])
	switch {
	case err != nil:
		return User{}, err
	case role == Worker && len(stations) == 0:
		return User{}, errors.New("a worker without a station; write their names behind its role")
	case role != Worker && len(stations) > 0:
		return User{}, fmt.Errorf("role %s has no stations; leave out the words behind it", role)
	}
	return User{name, password, Of(role, name, prefix, stations)}, nil
}

func readStations(words []string) (stations []Station, err error) {
	for _, word := range words {
		var s Station
		s.Name, s.Fanout = strings.CutSuffix(word, ":fanout")
		if err := schema.CheckStation(s.Name); err != nil {
			return nil, fmt.Errorf("the name of a station %w", err)
		}
		stations = append(stations, s)
	}
	return stations, nil
}
