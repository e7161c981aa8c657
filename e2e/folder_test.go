package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// refusesFolder starts a server that has to end at once, with a reason.
func refusesFolder(t *testing.T, dir, message string, flags ...string) {
	t.Helper()
	s := &server{dir: dir, nats: freeAddress(t), http: freeAddress(t), flags: flags}
	s.spawn()
	t.Cleanup(s.kill9)
	line, _ := s.log.await("stationmaster: ", s.ended)
	if !strings.Contains(line, message) {
		t.Errorf("%s %q: %q, want %q; its log:\n%s", dir, flags, line, message, s.log)
		s.kill9()
	}
	<-s.ended
	if code := s.cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("%s %q: exit code %d", dir, flags, code)
	}
}

// A data folder is used for its own purpose alone. It is not used by a cluster, which would lose
// its content, nor in part, nor for another installation. No refusal changes it.
func TestADataFolderIsNotTakenForAnother(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	station := c.station()
	c.create(far(station).with(body{"plan_id": "kept"}))
	refusesFolder(t, filepath.Join(s.dir, "jetstream"), "is a part of store folder")
	refusesFolder(t, filepath.Join(s.dir, "jetstream", "new"), "is a part of store folder")
	c.state(station, "kept")
	if code := s.terminate(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	at := freeAddress(t)
	refusesFolder(t, s.dir, "was filled by a server alone", "--node", "n1", "--cluster-name", "sm",
		"--cluster-listen", at, "--cluster-routes", "nats://"+at+",nats://"+freeAddress(t)+",nats://"+freeAddress(t))
	refusesFolder(t, s.dir, "another installation (without --prefix) and none of this prefix (--prefix acme)", "--prefix", "acme")
	s.restart(t)
	connect(t, s, inJSON).state(station, "kept")
}

// A node alone refuses the folder of a node of a cluster, because it recovers no stream of
// several replicas; the cluster's node goes on with it.
func TestAFolderOfAClusterIsNoneForANodeAlone(t *testing.T) {
	t.Parallel()
	nodes, _ := newCluster(t)
	c := connect(t, nodes[1], inJSON)
	station := c.station()
	c.create(far(station).with(body{"plan_id": "kept"}))
	if code := nodes[0].terminate(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	refusesFolder(t, nodes[0].dir, "is that of a node of a cluster")
	nodes[0].restart(t)
	connect(t, nodes[0], inJSON).state(station, "kept")
}
