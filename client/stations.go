package client

import (
	"context"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Stations is the handle of the records of stations.
type Stations struct{ c *Client }

// Stations returns the handle of the records of stations.
func (c *Client) Stations() Stations { return Stations{c} }

// Put stores the record of a station. It replaces the whole record, and counts from the next
// dispatch on.
func (s Stations) Put(ctx context.Context, station schema.Station) (*schema.StationPut, error) {
	return change[schema.StationPut](ctx, s.c, stationsGroup, "put", station)
}

// Get returns the record of a station. The error is [ErrNotFound] when none was put.
func (s Stations) Get(ctx context.Context, name string) (*schema.Station, error) {
	return readOne[schema.Station](ctx, s.c, stationsGroup, "get", schema.GetStation{Station: name})
}

// Use returns a station with its counters, also one that was never put.
func (s Stations) Use(ctx context.Context, name string) (*schema.UsedStation, error) {
	return readOne[schema.UsedStation](ctx, s.c, stationsGroup, "get", schema.GetStation{Station: name, Used: true})
}

// Delete removes the record of a station, which then has kind `api` and the defaults again.
func (s Stations) Delete(ctx context.Context, name string) (*schema.StationDeleted, error) {
	return change[schema.StationDeleted](ctx, s.c, stationsGroup, "delete", schema.StationName{Station: name})
}

// List returns one page of records, by the names of stations.
func (s Stations) List(ctx context.Context, request schema.ListStations) (*schema.StationPage, error) {
	return readOne[schema.StationPage](ctx, s.c, stationsGroup, "list", request)
}

// All returns all records, page by page; an error ends the sequence.
func (s Stations) All(ctx context.Context) iter.Seq2[schema.Station, error] {
	return pages("", func(cursor string) ([]schema.Station, string, error) {
		page, err := s.List(ctx, schema.ListStations{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Stations, page.Next, nil
	})
}

// Used returns one page of the stations that were put or have plans, by name, each with its
// counters.
func (s Stations) Used(ctx context.Context, request schema.ListStations) (*schema.UsedStationPage, error) {
	request.Used = true
	return readOne[schema.UsedStationPage](ctx, s.c, stationsGroup, "list", request)
}

// Stats returns the counters of a station, which are 0 where it was never used.
func (s Stations) Stats(ctx context.Context, name string) (*schema.StationStats, error) {
	return readOne[schema.StationStats](ctx, s.c, stationsGroup, "stats", schema.StationName{Station: name})
}
