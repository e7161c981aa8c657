package broker

import (
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Config gives the sizes of an installation's streams. Zero values mean the defaults when
// a stream is made, and its present settings when it exists.
type Config struct {
	Space schema.Space
	// Node names this process in its reports, for people.
	Node string
	// Captured lets Provision go on although streams capture executions. The caller must
	// report them (Captures). It is for a server that ends with the program, because
	// otherwise its streams could not be removed.
	Captured bool
	// Sole forbids Provision to make an installation where the server has one of another
	// prefix. It is for a server that comes with the program, where no other process would
	// run that one.
	Sole bool
	// SetBack lets Provision take away limits of existing streams that no field here gives,
	// such as a max_age of the journal, with a warning. It is for a server that ends with the
	// program, because with them nothing starts there, so that no operator could.
	SetBack bool
	// Replicas of every stream. 0 means 1, or 3 in a cluster of three or more servers.
	Replicas int

	// Bytes are reserved with the server, so that JetStream's own limit cannot block the
	// writes that would free space. A default is halved until it fits when the server has
	// less room; an explicit value is not.

	JournalBytes  int64 // of each partition; default 2 GiB; appends wait when it is full
	TableBytes    int64 // of each partition's bucket of plans; default 4 GiB
	RepliesBytes  int64 // in memory; default 32 MiB; the oldest go first
	ResultsBytes  int64 // default 8 GiB; the oldest go first
	QueuesBytes   int64 // default 4 GiB; pushes are refused before it is full
	StationsBytes int64 // default 64 MiB
	WorkersBytes  int64 // in memory; default 64 MiB

	RepliesAge     time.Duration // default 2 minutes
	ResultsAge     time.Duration // default 168 hours
	ResultsPerPlan int64         // default 100
	WorkersAge     time.Duration // the time without an announcement after which a worker is gone; default 30 s

	// ResultsForm is the form in which a stream of results is made.
	ResultsForm ResultsForm

	// MaxBatch is how many messages the server takes in one atomic batch (its limit
	// max_batch_size). On a single server each batch has a fixed cost of some milliseconds,
	// so a leader with much to store wants large ones. 0 means nats-server's default,
	// 1,000.
	MaxBatch int

	// Room returns the reason why nothing may be written now; it is called before every
	// message to a stream on disk. Writers then keep trying, as if their stream were full.
	// Nil: no check.
	Room func() error

	// Spare returns the reason why nothing may be added now, with so many bytes coming that are
	// not written yet; it is called for each request that adds. Requests that remove are written
	// all the same. Nil: no check.
	Spare func(coming int64) error

	Logger *slog.Logger // nil: slog.Default()
}

// A plannedStream is a stream as the configuration wants it.
type plannedStream struct {
	jetstream.StreamConfig
	// Settings without a configured value: any existing one will do.
	anyBytes, anyAge, anyPerSubject, anyReplicas bool
	// anyForm gives the plan the form of the existing stream of results, because either
	// will do.
	anyForm func(is jetstream.StreamConfig, should *jetstream.StreamConfig)
}

// plan lists all streams of an installation but the one of bucket `leaders`.
func (c Config) plan() []plannedStream {
	var all []plannedStream
	for p := range partitions(c.Space) {
		all = append(all, c.journal(p), c.bucket(storage.PlansBucket(c.Space, p), "plans as they were sent, and where each stands", c.TableBytes, 4<<30))
	}
	return append(all,
		c.bucket(storage.StationsBucket(c.Space), "records of stations and task types", c.StationsBytes, 64<<20),
		c.bucket(storage.SecretsBucket(c.Space), "secrets, encrypted", 0, 16<<20),
		c.workers(), c.replies(), c.results(), c.queues())
}

func (c Config) journal(p int) plannedStream {
	return plannedStream{anyBytes: c.JournalBytes == 0, StreamConfig: jetstream.StreamConfig{
		Name:              storage.JournalStream(c.Space, p),
		Description:       "the scheduler's decisions, one append a message",
		Subjects:          []string{storage.Journal(c.Space, p)},
		Storage:           jetstream.FileStorage,
		Discard:           jetstream.DiscardNew, // discard old accepts appends and loses the first ones
		MaxBytes:          or(c.JournalBytes, 2<<30),
		MaxMsgsPerSubject: -1,
		DenyDelete:        true,
	}}
}

// bucket is the stream that nats.go makes for a key-value bucket with a history of one,
// except for direct reads, which are stale on a cluster, and atomic batches.
func (c Config) bucket(name, description string, bytes, usual int64) plannedStream {
	return plannedStream{anyBytes: bytes == 0, StreamConfig: jetstream.StreamConfig{
		Name:               bucketPrefix + name,
		Description:        description,
		Subjects:           []string{storage.BucketSubject(name, ">")},
		Storage:            jetstream.FileStorage,
		Discard:            jetstream.DiscardNew,
		MaxBytes:           or(bytes, usual),
		MaxMsgsPerSubject:  2, // the rollup of a row leaves 1; see Bucket.Set
		DenyDelete:         true,
		AllowRollup:        true,
		AllowMsgTTL:        true, // … that expire
		AllowAtomicPublish: true,
	}}
}

// leaders has a stream of its own so that renewals never queue behind plans.
func (c Config) leaders() plannedStream {
	return c.bucket(c.Space.LeadersBucket(), "the leaders and the nodes", 16<<20, 0)
}

// workers is in memory, because presence is put again every some seconds, and no disk
// should be synced for it.
func (c Config) workers() plannedStream {
	s := c.bucket(storage.WorkersBucket(c.Space), "the workers and their stations", c.WorkersBytes, 64<<20)
	s.Storage = jetstream.MemoryStorage
	s.MaxAge, s.anyAge = or(c.WorkersAge, 30*time.Second), c.WorkersAge == 0
	s.SubjectDeleteMarkerTTL = 10 * time.Second // shows watchers which records expire
	return s
}

// replies has room for some 250,000 replies, ten times those of 20,000 executions that were
// under way when a leader died. They are in memory and cost twice their bytes there, which
// the collector then lets grow fourfold, so that more room would cost a loaded node memory
// for nothing.
func (c Config) replies() plannedStream {
	return plannedStream{anyBytes: c.RepliesBytes == 0, anyAge: c.RepliesAge == 0, StreamConfig: jetstream.StreamConfig{
		Name:              storage.RepliesStream(c.Space),
		Description:       "recent replies of workers, for the next leader",
		Subjects:          []string{c.Space.AllReplies()},
		Storage:           jetstream.MemoryStorage,
		Discard:           jetstream.DiscardOld,
		NoAck:             true, // else a worker's request gets the stream's answer, not the scheduler's
		MaxAge:            or(c.RepliesAge, 2*time.Minute),
		MaxBytes:          or(c.RepliesBytes, 32<<20),
		MaxMsgsPerSubject: -1,
	}}
}

func (c Config) results() plannedStream {
	s := plannedStream{
		anyBytes: c.ResultsBytes == 0, anyAge: c.ResultsAge == 0, anyPerSubject: c.ResultsPerPlan == 0,
		StreamConfig: jetstream.StreamConfig{
			Name:               c.Space.ResultsStream(),
			Description:        "how executions ended",
			Storage:            jetstream.FileStorage,
			Discard:            jetstream.DiscardOld,
			MaxAge:             or(c.ResultsAge, 168*time.Hour),
			MaxBytes:           or(c.ResultsBytes, 8<<30),
			MaxMsgsPerSubject:  or(c.ResultsPerPlan, 100),
			AllowAtomicPublish: true,
			AllowMsgTTL:        true, // the fences never age
			AllowDirect:        true, // history is read in batches, from any replica
		},
		anyForm: func(is jetstream.StreamConfig, should *jetstream.StreamConfig) {
			form := formOf(c.Space, is)
			form.in(c.Space, should)
			if form == ResultsPublic && is.SubjectTransform == nil {
				should.SubjectTransform = nil // as older releases made it
			}
		},
	}
	c.ResultsForm.in(c.Space, &s.StreamConfig)
	return s
}

// queues keeps only items that are not completed, because completed ones are purged, so it
// is never full of the latter.
func (c Config) queues() plannedStream {
	var subjects []string
	for p := range partitions(c.Space) {
		subjects = append(subjects, storage.AllInboxes(c.Space, p), storage.Queued(c.Space, p))
	}
	return plannedStream{anyBytes: c.QueuesBytes == 0, StreamConfig: jetstream.StreamConfig{
		Name:               storage.QueuesStream(c.Space),
		Description:        "the waiting items of plans' inboxes",
		Subjects:           subjects,
		Storage:            jetstream.FileStorage,
		Discard:            jetstream.DiscardNew,
		MaxBytes:           or(c.QueuesBytes, 4<<30),
		MaxMsgsPerSubject:  -1,
		AllowAtomicPublish: true,
		AllowRollup:        true, // of the fences
		AllowMsgTTL:        true, // they never age
		AllowDirect:        true, // items are read back in batches
	}}
}

// or is v, or the default when v is zero.
func or[T int64 | time.Duration](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// differences compares an existing stream with the plan. Only settings that the scheduler
// depends on count, because descriptions, placement and the like are the operator's.
func (s plannedStream) differences(is jetstream.StreamConfig) []Difference {
	var ds []Difference
	add := func(setting, is, should string) {
		if is != should {
			ds = append(ds, Difference{Stream: s.Name, Setting: setting, Is: is, ShouldBe: should})
		}
	}
	if s.anyForm != nil {
		s.anyForm(is, &s.StreamConfig)
	}
	add("subject_transform", transformText(is.SubjectTransform), transformText(s.SubjectTransform))
	add("subjects", subjectsText(is.Subjects), subjectsText(s.Subjects))
	add("storage", is.Storage.String(), s.Storage.String())
	add("retention", is.Retention.String(), s.Retention.String())
	add("discard", is.Discard.String(), s.Discard.String())
	add("persist_mode", fmt.Sprint(is.PersistMode), fmt.Sprint(s.PersistMode))
	add("max_msgs", limitText(is.MaxMsgs), limitText(-1))
	add("max_msg_size", limitText(int64(is.MaxMsgSize)), limitText(-1))
	add("no_ack", strconv.FormatBool(is.NoAck), strconv.FormatBool(s.NoAck))
	add("sealed", strconv.FormatBool(is.Sealed), "false")
	add("deny_purge", strconv.FormatBool(is.DenyPurge), "false")
	add("allow_direct", strconv.FormatBool(is.AllowDirect), strconv.FormatBool(s.AllowDirect))
	add("allow_rollup_hdrs", strconv.FormatBool(is.AllowRollup), strconv.FormatBool(s.AllowRollup))
	add("allow_msg_ttl", strconv.FormatBool(is.AllowMsgTTL), strconv.FormatBool(s.AllowMsgTTL))
	add("allow_atomic", strconv.FormatBool(is.AllowAtomicPublish), strconv.FormatBool(s.AllowAtomicPublish))
	if !s.anyReplicas {
		add("replicas", strconv.Itoa(is.Replicas), strconv.Itoa(s.Replicas))
	}
	if !s.anyBytes {
		add("max_bytes", limitText(is.MaxBytes), limitText(s.MaxBytes))
	}
	if !s.anyAge {
		add("max_age", is.MaxAge.String(), s.MaxAge.String())
	}
	if !s.anyPerSubject {
		add("max_msgs_per_subject", limitText(is.MaxMsgsPerSubject), limitText(s.MaxMsgsPerSubject))
	}
	return ds
}

func subjectsText(subjects []string) string {
	return strings.Join(slices.Sorted(slices.Values(subjects)), ", ")
}

func transformText(t *jetstream.SubjectTransformConfig) string {
	if t == nil {
		return "none"
	}
	return t.Source + " to " + t.Destination
}

func limitText(n int64) string {
	if n <= 0 {
		return "unlimited"
	}
	return strconv.FormatInt(n, 10)
}
