package tables

import (
	"fmt"
	"time"

	"github.com/whet-go/whet/internal/store/sql"
)

// Names are the tables of a store, but for versions and leases.
func Names() []string {
	return []string{"profiles", "series", "stacks", "frames", "results", "recordings", "parts"}
}

// A Schema writes the statements for one server or a cluster.
type Schema struct {
	Database   string
	Cluster    string // "": one server
	Replicated bool   // tables of the cluster, by a Keeper
	// Coarse is set of tables that an older whet created, whose granules have thousands of profiles. Replicas have
	// equal ones.
	Coarse bool
}

// On returns the clause by which a statement runs on all servers of the cluster.
func (s Schema) On() string {
	if !s.Replicated {
		return ""
	}
	return " ON CLUSTER " + s.Cluster
}

// Stored returns the name of the table that has the rows of a table on a server.
func (s Schema) Stored(table string) string {
	if s.Cluster == "" {
		return s.Database + "." + table
	}
	return s.Database + "." + table + "_shard"
}

// engine returns the engine of a table whose rows replace equal ones; those with the greatest value
// of a column, unless it is "". path has the macros of its replicas.
func (s Schema) engine(table, newest, path, replica string) string {
	if !s.Replicated {
		return "ReplacingMergeTree(" + newest + ")"
	}
	args := sql.Text("/clickhouse/whet/"+path+"/"+s.Database+"/"+table) + ", " + sql.Text(replica)
	if newest != "" {
		args += ", " + newest
	}
	return "ReplicatedReplacingMergeTree(" + args + ")"
}

// create returns the statements for a table: columns, then what follows the engine, and more settings.
func (s Schema) create(table, newest, columns, rest string, more ...string) []string {
	settings := " SETTINGS non_replicated_deduplication_window=1000"
	if s.Replicated {
		settings = " SETTINGS replicated_deduplication_window=1000"
	}
	for _, setting := range more {
		settings += ", " + setting
	}
	all := []string{"CREATE TABLE IF NOT EXISTS " + s.Stored(table) + s.On() + " (" + columns + ") ENGINE=" +
		s.engine(table, newest, "{shard}", "{replica}") + " " + rest + settings}
	if s.Cluster == "" {
		return all
	}
	return append(all, fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s%s AS %s ENGINE=Distributed(%s, %s, %s, "+
		"sipHash64(tenant, service))", s.Database, table, s.On(), s.Stored(table), sql.Text(s.Cluster), sql.Text(s.Database),
		sql.Text(table+"_shard")))
}

// Granule is how many rows of profiles are read at least. Fewer take more space, and more take a query of one service
// longer.
const Granule = 128

// Week is the partition of a profile: retention drops whole ones.
const Week = 7 * 24 * time.Hour

// Migrations returns the statements by which each version becomes the next, the first from nothing.
// Each statement may be repeated.
func (s Schema) Migrations() [][]string {
	names := "tenant LowCardinality(String), service LowCardinality(String), "
	// Rows are large: a query of one service does not read those of the others.
	granules := []string{fmt.Sprint("index_granularity=", Granule)}
	if s.Coarse {
		granules = nil
	}
	var first []string
	first = append(first, s.create("profiles", "", names+`kind LowCardinality(String),
		start DateTime64(9, 'UTC') CODEC(Delta, ZSTD), id FixedString(16), series UInt64, duration Int64,
		part UInt64, head LowCardinality(String), main LowCardinality(String), comments Array(String), samples UInt32,
		stacks Array(UInt64) CODEC(ZSTD), labels Array(String) CODEC(ZSTD), v0 Array(Int64) CODEC(ZSTD),
		v1 Array(Int64) CODEC(ZSTD), v2 Array(Int64) CODEC(ZSTD), v3 Array(Int64) CODEC(ZSTD),
		more Array(Array(Int64)) CODEC(ZSTD), INDEX by_id id TYPE bloom_filter(0.001) GRANULARITY 1`,
		fmt.Sprintf("PARTITION BY intDiv(toUnixTimestamp64Nano(start), %d) ORDER BY (tenant, service, kind, start, id)",
			Week.Nanoseconds()), granules...)...)
	first = append(first, s.create("series", "seen", names+`kind LowCardinality(String), id UInt64,
		names Array(LowCardinality(String)), values Array(String), seen UInt32`,
		"ORDER BY (tenant, service, kind, id)")...)
	first = append(first, s.create("stacks", "seen", names+"id UInt64, frames String CODEC(ZSTD), seen UInt32",
		"ORDER BY (tenant, service, id)")...)
	first = append(first, s.create("frames", "seen", names+`id UInt64, mapping LowCardinality(String),
		address UInt64, lines String CODEC(ZSTD), seen UInt32`, "ORDER BY (tenant, service, id)")...)
	first = append(first, s.create("results", "", names+`kind LowCardinality(String), revision String,
		time DateTime64(9, 'UTC'), id FixedString(16), document String CODEC(ZSTD)`,
		"ORDER BY (tenant, kind, service, time, id)")...)
	// The group of a lease is in service, which determines the shard. Times are of the server, in
	// nanoseconds since 1970; ends is 0 of a lease that was released.
	first = append(first, s.create("leases", "at", names+`member String, part LowCardinality(String), at UInt64,
		ends Int64, document String CODEC(ZSTD)`, "ORDER BY (tenant, service, member, part) "+
		"TTL toDateTime(intDiv(at, 1000000000), 'UTC') + toIntervalDay(2)")...)
	second := s.create("recordings", "", names+`labels Map(String, String),
		start DateTime64(9, 'UTC'), id FixedString(16), duration Int64, about String, size Int64, sum FixedString(32)`,
		"ORDER BY (tenant, service, start, id)")
	// Files are compressed. Rows are large, so that a granule has few.
	second = append(second, s.create("parts", "", names+`recording FixedString(16), number UInt32,
		start DateTime64(9, 'UTC'), data String CODEC(NONE)`, "ORDER BY (tenant, service, recording, number)",
		"index_granularity=8")...)
	return [][]string{first, second}
}

// Versions returns the statement that creates the table of versions, which all servers share.
func (s Schema) Versions() string {
	return "CREATE TABLE IF NOT EXISTS " + s.Database + ".versions" + s.On() +
		" (version UInt32, at DateTime64(3, 'UTC') DEFAULT now64(3), by String) ENGINE=" +
		s.engine("versions", "", "all", "{shard}-{replica}") + " ORDER BY version"
}

// Expire returns the statements by which the server deletes what is older than an age; 0: nothing.
func (s Schema) Expire(age time.Duration) []string {
	const last = "2100-01-01 00:00:00" // a DateTime ends in 2106
	seconds := int64(age.Seconds())
	start := fmt.Sprintf("toDateTime(least(start, toDateTime64('%s', 9, 'UTC')), 'UTC')", last)
	of := map[string]string{
		"profiles": start, "recordings": start, "parts": start,
		// The day of seen is over before its profiles are as old.
		"series": "toDateTime(least(seen + 1, 47482) * 86400, 'UTC')",
	}
	of["stacks"], of["frames"] = of["series"], of["series"]
	var all []string
	for _, table := range Names() {
		column, ok := of[table]
		switch {
		case !ok: // results stay
		case age == 0:
			all = append(all, "ALTER TABLE "+s.Stored(table)+s.On()+" REMOVE TTL")
		default:
			all = append(all, fmt.Sprintf("ALTER TABLE %s%s MODIFY TTL %s + toIntervalSecond(%d)", s.Stored(table), s.On(),
				column, seconds))
		}
	}
	return all
}
