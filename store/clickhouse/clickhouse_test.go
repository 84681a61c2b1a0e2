package clickhouse_test

import (
	"testing"

	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/storetest"
)

// on returns the stores on servers, each in a database of its own.
func on(servers *clickhousetest.Servers) storetest.Store {
	return storetest.Store{Open: func(tb testing.TB, name string, o storetest.Options) storetest.Maintained {
		tb.Helper()
		return open(tb, servers, name, clickhouse.Options{
			Limits: o.Limits, Retention: o.Retention, Now: o.Now, Interval: -1,
		})
	}}
}

// open opens a store, whose tables it creates if needed.
func open(tb testing.TB, servers *clickhousetest.Servers, database string, o clickhouse.Options) *clickhouse.Store {
	tb.Helper()
	a, err := clickhouse.ParseAddress(servers.Address(database))
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := clickhouse.Migrate(tb.Context(), a, clickhouse.MigrateOptions{Version: "test", Unreplicated: !servers.HasKeeper()}); err != nil {
		tb.Fatal(err)
	}
	if o.Warn == nil {
		o.Warn = func(err error) { tb.Error(err) }
	}
	s, err := clickhouse.Open(tb.Context(), a, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// TestServer runs the tests of all stores on one server.
func TestServer(t *testing.T) {
	servers := clickhousetest.ForTest(t, clickhousetest.Options{})
	t.Run("Store", func(t *testing.T) { storetest.Run(t, on(servers)) })
}

// TestShards runs them on two shards that are not replicated.
func TestShards(t *testing.T) {
	servers := clickhousetest.ForTest(t, clickhousetest.Options{Shards: 2})
	t.Run("Store", func(t *testing.T) { storetest.Run(t, on(servers)) })
}

// TestReplicated runs them on two shards with a Keeper.
func TestReplicated(t *testing.T) {
	servers := clickhousetest.ForTest(t, clickhousetest.Options{Shards: 2, Keeper: true})
	t.Run("Store", func(t *testing.T) { storetest.Run(t, on(servers)) })
}
