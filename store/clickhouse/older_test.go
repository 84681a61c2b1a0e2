package clickhouse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/storetest"
)

// formatOne are the columns, the arguments of the engine and the order of the tables of format 1, which had no tables
// of recordings, and larger granules. This text does not change with the schema.
var formatOne = map[string][3]string{
	"profiles": {
		`tenant LowCardinality(String), service LowCardinality(String), kind LowCardinality(String),
		start DateTime64(9, 'UTC') CODEC(Delta, ZSTD), id FixedString(16), series UInt64, duration Int64,
		part UInt64, head LowCardinality(String), main LowCardinality(String), comments Array(String), samples UInt32,
		stacks Array(UInt64) CODEC(ZSTD), labels Array(String) CODEC(ZSTD), v0 Array(Int64) CODEC(ZSTD),
		v1 Array(Int64) CODEC(ZSTD), v2 Array(Int64) CODEC(ZSTD), v3 Array(Int64) CODEC(ZSTD),
		more Array(Array(Int64)) CODEC(ZSTD), INDEX by_id id TYPE bloom_filter(0.001) GRANULARITY 1`, "",
		`PARTITION BY intDiv(toUnixTimestamp64Nano(start), 604800000000000) ORDER BY (tenant, service, kind, start, id)`,
	},
	"series": {
		`tenant LowCardinality(String), service LowCardinality(String), kind LowCardinality(String), id UInt64,
		names Array(LowCardinality(String)), values Array(String), seen UInt32`, "seen",
		`ORDER BY (tenant, service, kind, id)`,
	},
	"stacks": {`tenant LowCardinality(String), service LowCardinality(String), id UInt64,
		frames String CODEC(ZSTD), seen UInt32`, "seen", `ORDER BY (tenant, service, id)`},
	"frames": {
		`tenant LowCardinality(String), service LowCardinality(String), id UInt64,
		mapping LowCardinality(String), address UInt64, lines String CODEC(ZSTD), seen UInt32`, "seen",
		`ORDER BY (tenant, service, id)`,
	},
	"results": {
		`tenant LowCardinality(String), service LowCardinality(String), kind LowCardinality(String),
		revision String, time DateTime64(9, 'UTC'), id FixedString(16), document String CODEC(ZSTD)`, "",
		`ORDER BY (tenant, kind, service, time, id)`,
	},
	"leases": {
		`tenant LowCardinality(String), service LowCardinality(String), member String,
		part LowCardinality(String), at UInt64, ends Int64, document String CODEC(ZSTD)`, "at",
		`ORDER BY (tenant, service, member, part)
		TTL toDateTime(intDiv(at, 1000000000), 'UTC') + toIntervalDay(2)`,
	},
}

// testOlder migrates a cluster with tables of format 1 and profiles; see testFormat1 for rows that an old whet wrote.
// Before that, it is not opened; then it answers as a new one does, and takes recordings and the same profiles again.
func testOlder(t *testing.T, servers *clickhousetest.Servers) {
	ctx := t.Context()
	storetest.Write(t, open(t, servers, "recent", clickhouse.Options{}), "", fleet()...)
	suffix := ""
	if len(servers.Hosts) > 1 {
		suffix = "_shard"
	}
	for _, host := range servers.Hosts {
		exec(t, host, "CREATE DATABASE older")
		exec(t, host, "CREATE TABLE older.versions (version UInt32, at DateTime64(3, 'UTC') DEFAULT now64(3), by String) "+
			"ENGINE=ReplacingMergeTree() ORDER BY version")
		exec(t, host, "INSERT INTO older.versions (version, by) VALUES (1, 'v0')")
		for name, x := range formatOne {
			exec(t, host, fmt.Sprintf("CREATE TABLE older.%s%s (%s) ENGINE=ReplacingMergeTree(%s) %s SETTINGS "+
				"non_replicated_deduplication_window=1000", name, suffix, x[0], x[1], x[2]))
			exec(t, host, fmt.Sprintf("INSERT INTO older.%s%s SELECT * FROM recent.%[1]s%[2]s", name, suffix))
			if suffix != "" {
				exec(t, host, fmt.Sprintf("CREATE TABLE older.%s AS older.%[1]s_shard ENGINE=Distributed('%s', 'older', "+
					"'%[1]s_shard', sipHash64(tenant, service))", name, clickhousetest.ClusterName))
			}
		}
	}
	content := func(database string) (all []string) {
		t.Helper()
		s := open(t, servers, database, clickhouse.Options{})
		for _, selector := range []string{"", "service=service1", "service=service2"} {
			q := store.Query{Kind: "cpu"}
			if selector != "" {
				q.Matchers = storetest.Matchers(t, selector)
			}
			p, stats, err := s.Merge(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(stats, storetest.ContentOf(p)))
		}
		return all
	}
	a := address(t, servers, "older")
	_, err := clickhouse.Open(ctx, a, clickhouse.Options{})
	if err == nil || !strings.Contains(err.Error(), "it has format 1; this whet writes format 2") ||
		!strings.Contains(diag.Hint(err), "whet store migrate") {
		t.Fatalf("before the migration: %v, hint %q", err, diag.Hint(err))
	}
	m, err := clickhouse.Migrate(ctx, a, clickhouse.MigrateOptions{Version: "test", Unreplicated: true})
	if err != nil || m.From != 1 || m.To != clickhouse.Format || (m.Cluster != "") != (suffix != "") {
		t.Fatalf("%+v, %v", m, err)
	}
	want := content("recent")
	if got := content("older"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after the migration:\n%.300q\nwant\n%.300q", got, want)
	}
	s := open(t, servers, "older", clickhouse.Options{})
	storetest.Write(t, s, "", fleet()...) // they are there
	rec := store.Recording{Service: "service1", Start: storetest.Epoch(), About: "slow"}
	if _, err := s.WriteRecording(ctx, "", rec, []byte("content")); err != nil {
		t.Errorf("a recording: %v", err)
	}
	if got := content("older"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after writing the same:\n%.300q\nwant\n%.300q", got, want)
	}
	if r, err := s.Check(ctx, nil); err != nil || len(r.Damage) > 0 || r.Profiles == 0 {
		t.Errorf("check: %+v, %v", r, err)
	}
}
