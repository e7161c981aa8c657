package deploy_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"golang.org/x/crypto/bcrypt"

	"github.com/stationmaster-io/stationmaster/broker/embed"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/internal/node/roles"
)

// usersFile is a file of users for the embedded server, with the users of this package's
// configuration.
func usersFile(t *testing.T) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(passwordOf(observer)), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{
		"# who may connect", "",
		publisher + " " + passwordOf(publisher) + " publisher",
		observer + " " + string(hash) + " observer",
		hello + " " + passwordOf(hello) + " worker hello",
		mail + " " + passwordOf(mail) + " worker mail",
		operator + " " + passwordOf(operator) + " operator",
	}
	path := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each role of an embedded server with a file of users does its work, and so does the scheduler
// beside it.
func TestEachRoleCanDoItsWorkAtTheEmbeddedServer(t *testing.T) {
	for name, prefix := range map[string]string{"without a prefix": "", "with a prefix": "acme"} {
		t.Run(name, func(t *testing.T) {
			s := &site{t: t}
			if prefix != "" {
				s.prefix = prefix + "."
			}
			c := node.Default()
			c.DataDir, c.NATSListen, c.NATSUsersFile = t.TempDir(), "127.0.0.1:0", usersFile(t)
			c.Sync = time.Minute // a test's folder need not survive a power cut
			n := s.start(c)
			inside, err := n.Connect(t.Context(), "test")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(inside.Close)
			s.at, s.asScheduler = n.URL(), func() *nats.Conn { return inside }
			s.work(t)
		})
	}
}

// Nor may it do more there than at a server with the file of this folder. No scheduler
// runs, because only the rights are checked.
func TestEachRoleMayDoThisAndNothingElseAtTheEmbeddedServer(t *testing.T) {
	file, err := os.Open(usersFile(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	users, err := roles.ReadUsers(file, "")
	if err != nil {
		t.Fatal(err)
	}
	// Each refusal is a line of its log.
	o := embed.Options{StoreDir: t.TempDir(), Listen: "127.0.0.1:0", Logger: slog.New(slog.DiscardHandler)}
	for _, u := range users {
		o.Users = append(o.Users, embed.User{Name: u.Name, Password: u.Password, Publish: u.Publish, Subscribe: u.Subscribe})
	}
	embedded, err := embed.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := embedded.Shutdown(); err != nil {
			t.Error(err)
		}
	}()
	// The file's worker of mail has fewer rights than others have.
	(&site{t: t, at: embedded.ClientURL()}).tryAll(t, []string{publisher, observer, hello, operator})
}

// The file gives a role the same rights as the program.
func TestTheFileAndTheProgramGiveTheSameRights(t *testing.T) {
	for _, role := range everybody {
		t.Setenv(variableOf(role), passwordOf(role))
	}
	opts, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for user, role := range map[string]string{publisher: roles.Publisher, observer: roles.Observer, hello: roles.Worker, operator: roles.Operator} {
		i := slices.IndexFunc(opts.Users, func(u *server.User) bool { return u.Username == user })
		if i < 0 {
			t.Fatalf("the file has no user %s", user)
		}
		var stations []roles.Station
		if role == roles.Worker {
			stations = []roles.Station{{Name: "hello"}}
		}
		want := roles.Of(role, user, "", stations)
		got := roles.Rights{Publish: opts.Users[i].Permissions.Publish.Allow, Subscribe: opts.Users[i].Permissions.Subscribe.Allow}
		for _, list := range [][]string{want.Publish, want.Subscribe, got.Publish, got.Subscribe} {
			slices.Sort(list)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-program +file):\n%s", user, diff)
		}
	}
}
