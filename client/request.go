package client

import (
	"context"
	"iter"
)

// change makes one request whose answer is an A.
func change[A any](ctx context.Context, c *Client, group, endpoint string, request any) (*A, error) {
	answer := new(A)
	if err := c.Do(ctx, group, endpoint, request, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// readOne is change for requests that may be repeated.
func readOne[A any](ctx context.Context, c *Client, group, endpoint string, request any) (*A, error) {
	answer := new(A)
	if err := c.read(ctx, group, endpoint, request, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// pages yields the items of all pages, from cursor on.
func pages[T any](cursor string, page func(cursor string) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for at := cursor; ; {
			items, next, err := page(at)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			at = next
		}
	}
}
