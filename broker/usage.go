package broker

import (
	"context"
	"fmt"
	"strings"
)

// A StreamUsage is the content of a stream or a bucket of an installation, in numbers.
type StreamUsage struct {
	Name            string
	Bucket          bool // Name is a bucket's, without the prefix of its stream
	Messages, Bytes uint64
	MaxBytes        int64 // below 1: no limit
	Replicas        int
}

// bucketPrefix begins the names of the streams of buckets (NATS ADR-8).
const bucketPrefix = "KV_"

// Usage returns the usage of the streams and buckets of the installation, in the order in which
// they are made. It asks their servers, one request a stream.
func (s *Store) Usage(ctx context.Context) ([]StreamUsage, error) {
	all := append([]plannedStream{s.cfg.leaders()}, s.cfg.plan()...)
	usage := make([]StreamUsage, 0, len(all))
	for _, planned := range all {
		info, err := s.info(ctx, planned.Name)
		if err != nil {
			return nil, fmt.Errorf("read the state of stream %s: %w", planned.Name, err)
		}
		name, bucket := strings.CutPrefix(planned.Name, bucketPrefix)
		usage = append(usage, StreamUsage{
			Name: name, Bucket: bucket, Messages: info.State.Msgs, Bytes: info.State.Bytes,
			MaxBytes: info.Config.MaxBytes, Replicas: info.Config.Replicas,
		})
	}
	return usage, nil
}
