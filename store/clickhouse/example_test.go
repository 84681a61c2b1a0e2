package clickhouse_test

import (
	"context"
	"fmt"
	"time"

	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
)

// lastHour merges the CPU profiles of a service on ClickHouse.
func lastHour(ctx context.Context, a *clickhouse.Address, service string) error {
	s, err := clickhouse.Open(ctx, a, clickhouse.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }() // only read
	p, stats, err := s.Merge(ctx, store.Query{
		Kind: "cpu", From: time.Now().Add(-time.Hour),
		Matchers: []store.Matcher{{Name: store.ServiceLabel, Value: service}},
	})
	if err == nil {
		fmt.Println(stats.Profiles, "profiles,", p.NumSamples(), "different stacks")
	}
	return err
}

func Example() {
	a, err := clickhouse.ParseAddress("clickhouse://whet@127.0.0.1:1,localhost:1/profiles")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.User, "at", a)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := lastHour(ctx, a, "shop"); err != nil {
		fmt.Println("no server is running there")
	}
	// Output:
	// whet at clickhouse://127.0.0.1:1,localhost:1/profiles
	// no server is running there
}
