package broker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// loosened is an existing stream without the limits that it was given and that no flag gives, and
// the differences. Nothing stored is lost by it, as a limit that is taken away discards nothing.
func (s plannedStream) loosened(is jetstream.StreamConfig) (to jetstream.StreamConfig, changed []Difference) {
	to = is
	if is.MaxMsgs > 0 {
		to.MaxMsgs = -1
		changed = append(changed, Difference{Stream: s.Name, Setting: "max_msgs", Is: limitText(is.MaxMsgs), ShouldBe: limitText(-1)})
	}
	if is.MaxMsgSize > 0 {
		to.MaxMsgSize = -1
		changed = append(changed, Difference{Stream: s.Name, Setting: "max_msg_size", Is: limitText(int64(is.MaxMsgSize)), ShouldBe: limitText(-1)})
	}
	if s.MaxAge == 0 && !s.anyAge && is.MaxAge > 0 {
		to.MaxAge = 0
		changed = append(changed, Difference{Stream: s.Name, Setting: "max_age", Is: is.MaxAge.String(), ShouldBe: s.MaxAge.String()})
	}
	tighter := is.MaxMsgsPerSubject > 0 && (s.MaxMsgsPerSubject <= 0 || is.MaxMsgsPerSubject < s.MaxMsgsPerSubject)
	if results := s.anyForm != nil; tighter && !results { // whose number is a flag's
		to.MaxMsgsPerSubject = s.MaxMsgsPerSubject
		changed = append(changed, Difference{Stream: s.Name, Setting: "max_msgs_per_subject", Is: limitText(is.MaxMsgsPerSubject), ShouldBe: limitText(s.MaxMsgsPerSubject)})
	}
	return to, changed
}

// atStake notes of limits that are to be tighter how many messages are there, because the server
// removes those beyond them at once.
func atStake(ds []Difference, planned, is jetstream.StreamConfig, there uint64) []Difference {
	tighter := func(should, is int64) bool { return should > 0 && (is <= 0 || should < is) }
	for i := range ds {
		if d := &ds[i]; d.Setting == "max_age" && tighter(int64(planned.MaxAge), int64(is.MaxAge)) ||
			d.Setting == "max_bytes" && tighter(planned.MaxBytes, is.MaxBytes) ||
			d.Setting == "max_msgs_per_subject" && tighter(planned.MaxMsgsPerSubject, is.MaxMsgsPerSubject) {
			d.AtStake = there
		}
	}
	return ds
}

// setBack takes away the limits of an existing stream that would keep the installation from
// starting, if the configuration says so, and returns the stream's settings then.
func (s *Store) setBack(ctx context.Context, planned plannedStream, is jetstream.StreamConfig) (jetstream.StreamConfig, error) {
	to, changed := planned.loosened(is)
	if !s.cfg.SetBack || len(changed) == 0 {
		return is, nil
	}
	asking, cancel := context.WithTimeoutCause(ctx, askWithin, errNoWord)
	defer cancel()
	if _, err := s.js.UpdateStream(asking, to); err != nil {
		return is, fmt.Errorf("set back %v: %w", changed, cause(asking, err))
	}
	for _, d := range changed {
		s.log.Warn("a stream had a limit that it must not have, which may have discarded messages; it is set back",
			"stream", d.Stream, "setting", d.Setting, "was", d.Is, "is", d.ShouldBe)
	}
	return to, nil
}

// Differences lists how the streams differ now from the configuration; the next start would find
// the same. A stream that is missing is none of them.
func (s *Store) Differences(ctx context.Context) ([]Difference, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, askWithin, errNoWord)
	defer cancel()
	var ds []Difference
	for _, p := range append(s.cfg.plan(), s.cfg.leaders()) { // a list of streams is not for a scheduler's role
		switch is, err := s.js.Stream(ctx, p.Name); {
		case errors.Is(err, jetstream.ErrStreamNotFound):
		case err != nil:
			return nil, fmt.Errorf("look up %s: %w", p.Name, cause(ctx, err))
		default:
			ds = append(ds, s.withReplicas(p).differences(is.CachedInfo().Config)...)
		}
	}
	return ds, nil
}

// withReplicas completes a planned stream with the number of its replicas.
func (s *Store) withReplicas(p plannedStream) plannedStream {
	p.Replicas, p.anyReplicas = s.cfg.Replicas, s.cfg.Replicas == 0
	if p.anyReplicas {
		p.Replicas = usualReplicas(s.nc)
	}
	return p
}

// Command is the command of natscli that ends the difference; empty: no edit of a stream can.
func (d Difference) Command() string {
	flag := ""
	switch should := strings.Replace(d.ShouldBe, "unlimited", "-1", 1); d.Setting {
	case "max_msgs", "max_msg_size", "max_msgs_per_subject", "max_age", "replicas":
		flag = "--" + strings.ReplaceAll(d.Setting, "_", "-") + "=" + should
	case "max_bytes":
		flag = "--max-bytes=" + sizeText(should)
	case "discard":
		flag = "--discard=" + strings.ToLower(strings.TrimPrefix(should, "Discard"))
	case "no_ack":
		flag = switchText("ack", should == "false")
	case "allow_direct":
		flag = switchText("allow-direct", should == "true")
	case "allow_rollup_hdrs":
		flag = switchText("allow-rollup", should == "true")
	case "allow_atomic":
		flag = switchText("allow-batch", should == "true")
	}
	if d.Stream == "" || flag == "" {
		return ""
	}
	return "nats stream edit " + d.Stream + " " + flag + " -f"
}

func switchText(name string, on bool) string {
	if on {
		return "--" + name
	}
	return "--no-" + name
}

// sizeText is a number of bytes as natscli takes it, which needs a unit.
func sizeText(bytes string) string {
	n, err := strconv.ParseInt(bytes, 10, 64)
	switch {
	case err != nil || n <= 0:
		return bytes
	case n%(1<<30) == 0:
		return strconv.FormatInt(n>>30, 10) + "GiB"
	case n%(1<<20) == 0:
		return strconv.FormatInt(n>>20, 10) + "MiB"
	default:
		return strconv.FormatInt((n+1023)>>10, 10) + "KiB"
	}
}
