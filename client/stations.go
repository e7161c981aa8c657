package client

import (
	"context"
	"iter"

	"github.com/stationmaster-io/stationmaster/schema"
)

// PutStation registers what a station is. It replaces the whole record, and
// counts from the next dispatch on.
func (c *Client) PutStation(ctx context.Context, station *schema.Station) (*schema.StationPut, error) {
	return change[schema.StationPut](ctx, c, stationsGroup, "put", station)
}

// GetStation returns the record of a station; one that was never put is not found.
func (c *Client) GetStation(ctx context.Context, name string) (*schema.Station, error) {
	return readOne[schema.Station](ctx, c, stationsGroup, "get", schema.StationName{Station: name})
}

// DeleteStation takes a station's record away: it is `api` with the defaults again.
func (c *Client) DeleteStation(ctx context.Context, name string) (*schema.StationDeleted, error) {
	return change[schema.StationDeleted](ctx, c, stationsGroup, "delete", schema.StationName{Station: name})
}

// ListStations returns one page of stations, by name.
func (c *Client) ListStations(ctx context.Context, request schema.ListStations) (*schema.StationPage, error) {
	return readOne[schema.StationPage](ctx, c, stationsGroup, "list", request)
}

// Stations returns all stations, page by page; an error ends the sequence.
func (c *Client) Stations(ctx context.Context) iter.Seq2[schema.Station, error] {
	return pages("", func(cursor string) ([]schema.Station, string, error) {
		page, err := c.ListStations(ctx, schema.ListStations{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Stations, page.Next, nil
	})
}
