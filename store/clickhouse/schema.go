package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/sql"
)

// Format is the version of the schema that this package writes. A store of a newer one is not opened.
const Format = 2

// tables are the tables of a store, but for versions and leases.
func tables() []string {
	return []string{"profiles", "series", "stacks", "frames", "results", "recordings", "parts"}
}

// A schema writes the statements for one server or a cluster.
type schema struct {
	database   string
	cluster    string // "": one server
	replicated bool   // tables of the cluster, by a Keeper
	// coarse is set of tables that an older whet created, whose granules have thousands of profiles. Replicas have
	// equal ones.
	coarse bool
}

// on returns the clause by which a statement runs on all servers of the cluster.
func (s schema) on() string {
	if !s.replicated {
		return ""
	}
	return " ON CLUSTER " + s.cluster
}

// stored returns the name of the table that has the rows of a table on a server.
func (s schema) stored(table string) string {
	if s.cluster == "" {
		return s.database + "." + table
	}
	return s.database + "." + table + "_shard"
}

// engine returns the engine of a table whose rows replace equal ones; those with the greatest value
// of a column, unless it is "". path has the macros of its replicas.
func (s schema) engine(table, newest, path, replica string) string {
	if !s.replicated {
		return "ReplacingMergeTree(" + newest + ")"
	}
	args := sql.Text("/clickhouse/whet/"+path+"/"+s.database+"/"+table) + ", " + sql.Text(replica)
	if newest != "" {
		args += ", " + newest
	}
	return "ReplicatedReplacingMergeTree(" + args + ")"
}

// create returns the statements for a table: columns, then what follows the engine, and more settings.
func (s schema) create(table, newest, columns, rest string, more ...string) []string {
	settings := " SETTINGS non_replicated_deduplication_window=1000"
	if s.replicated {
		settings = " SETTINGS replicated_deduplication_window=1000"
	}
	for _, setting := range more {
		settings += ", " + setting
	}
	all := []string{"CREATE TABLE IF NOT EXISTS " + s.stored(table) + s.on() + " (" + columns + ") ENGINE=" +
		s.engine(table, newest, "{shard}", "{replica}") + " " + rest + settings}
	if s.cluster == "" {
		return all
	}
	return append(all, fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s%s AS %s ENGINE=Distributed(%s, %s, %s, "+
		"sipHash64(tenant, service))", s.database, table, s.on(), s.stored(table), sql.Text(s.cluster), sql.Text(s.database),
		sql.Text(table+"_shard")))
}

// week is the partition of a profile: retention drops whole ones.
const week = 7 * 24 * time.Hour

// migrations returns the statements by which each version becomes the next, the first from nothing.
// Each statement may be repeated.
func (s schema) migrations() [][]string {
	names := "tenant LowCardinality(String), service LowCardinality(String), "
	// Rows are large: a query of one service does not read those of the others.
	granules := []string{"index_granularity=64"}
	if s.coarse {
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
			week.Nanoseconds()), granules...)...)
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

// versions returns the statement that creates the table of versions, which all servers share.
func (s schema) versions() string {
	return "CREATE TABLE IF NOT EXISTS " + s.database + ".versions" + s.on() +
		" (version UInt32, at DateTime64(3, 'UTC') DEFAULT now64(3), by String) ENGINE=" +
		s.engine("versions", "", "all", "{shard}-{replica}") + " ORDER BY version"
}

// expire returns the statements by which the server deletes what is older than an age; 0: nothing.
func (s schema) expire(age time.Duration) []string {
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
	for _, table := range tables() {
		column, ok := of[table]
		switch {
		case !ok: // results stay
		case age == 0:
			all = append(all, "ALTER TABLE "+s.stored(table)+s.on()+" REMOVE TTL")
		default:
			all = append(all, fmt.Sprintf("ALTER TABLE %s%s MODIFY TTL %s + toIntervalSecond(%d)", s.stored(table), s.on(),
				column, seconds))
		}
	}
	return all
}

// MigrateOptions configure Migrate.
type MigrateOptions struct {
	// Retention is the age after which the server deletes profiles by itself. nil changes nothing, and
	// a pointer to 0 ends that.
	Retention *time.Duration
	// Unreplicated creates tables on a cluster that keep one copy and need no Keeper. The address names
	// all servers of the cluster, which are changed one by one.
	Unreplicated bool
	// Version is recorded with each version of the schema: that of the program.
	Version string
}

// Migration is what Migrate did.
type Migration struct {
	From int // version of the schema before; 0: there was none
	To   int // version of the schema now
	// Cluster is that of the tables; "" if they are on one server.
	Cluster string
}

// Migrate creates the database and its tables, or brings those of an older version up to date. After
// an error, and on a cluster after servers were added, it may be run again.
func Migrate(ctx context.Context, a *Address, o MigrateOptions) (Migration, error) {
	m := Migration{To: Format}
	conn, err := connect(a, "")
	if err != nil {
		return m, err
	}
	defer func() { _ = conn.Close() }() // nothing is pending
	s := &Store{a: a, conn: conn}
	fail := func(err error) (Migration, error) { return m, s.explain(ctx, "migrate store", err) }
	v, sc, err := version(ctx, conn, a.Database)
	if err != nil {
		return fail(err)
	}
	m.From = v
	if v == 0 {
		sc = schema{a.Database, a.Cluster, a.Cluster != "" && !o.Unreplicated, sc.coarse}
	}
	m.Cluster = sc.cluster
	switch {
	case v > Format:
		return m, newer(a, "migrate store", v)
	case a.Cluster != "" && sc.cluster != a.Cluster:
		where := "one server"
		if sc.cluster != "" {
			where = "cluster " + sc.cluster
		}
		return m, &diag.Error{
			Op: "migrate store", Subject: a.String(), Err: fmt.Errorf("its tables are on %s, not on %s", where, a.Cluster),
			Hint: "name another database for the cluster",
		}
	case sc.cluster == "" || sc.replicated:
		return m, s.explain(ctx, "migrate store", sc.apply(ctx, conn, v, o))
	}
	if err := s.complete(ctx, sc.cluster); err != nil {
		return fail(err)
	}
	return m, s.each(ctx, func(conn driver.Conn) error {
		v, _, err := version(ctx, conn, a.Database)
		if err != nil {
			return err
		}
		return sc.apply(ctx, conn, v, o)
	})
}

// complete returns an error unless the address has as many servers as the cluster.
func (s *Store) complete(ctx context.Context, cluster string) error {
	var n uint64
	row := s.conn.QueryRow(ctx, "SELECT count() FROM system.clusters WHERE cluster="+sql.Text(cluster))
	if err := row.Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return &diag.Error{
			Op: "migrate store", Subject: s.a.String(), Err: fmt.Errorf("the server knows no cluster %s", cluster),
			Hint: "`SELECT cluster, host_name FROM system.clusters` lists those in its configuration",
		}
	}
	if n != uint64(len(s.a.Hosts)) {
		return &diag.Error{
			Op: "migrate store", Subject: s.a.String(), Err: fmt.Errorf("the cluster %s has %d servers", cluster, n),
			Hint: "name all of them: without a Keeper, each is changed separately",
		}
	}
	return nil
}

// each calls work with a connection to each server of the address.
func (s *Store) each(ctx context.Context, work func(driver.Conn) error) error {
	for _, host := range s.a.Hosts {
		one := *s.a
		one.Hosts = []string{host}
		conn, err := connect(&one, "")
		if err != nil {
			return err
		}
		err = work(conn)
		if err := errors.Join(err, conn.Close()); err != nil {
			return (&Store{a: &one, conn: conn}).explain(ctx, "change store", err)
		}
	}
	return nil
}

// apply runs the statements of all versions: those that the tables have do nothing, but for servers
// that are new.
func (s schema) apply(ctx context.Context, conn driver.Conn, from int, o MigrateOptions) error {
	exec := func(text string) error {
		if err := execute(ctx, conn, text); err != nil {
			return fmt.Errorf("%s: %w", beginning(text), err)
		}
		return nil
	}
	if err := exec("CREATE DATABASE IF NOT EXISTS " + s.database + s.on()); err != nil {
		return err
	}
	if err := exec(s.versions()); err != nil {
		return err
	}
	for i, statements := range s.migrations() {
		for _, text := range statements {
			if err := exec(text); err != nil {
				return err
			}
		}
		if i+1 <= from {
			continue
		}
		if err := exec(fmt.Sprintf("INSERT INTO %s.versions (version, by) VALUES (%d, %s)", s.database, i+1,
			sql.Text(o.Version))); err != nil {
			return err
		}
	}
	if o.Retention == nil {
		return nil
	}
	for _, text := range s.expire(*o.Retention) {
		// A table without TTL has none to remove.
		if err := exec(text); err != nil && (*o.Retention != 0 || code(err) != codeBadArguments) {
			return err
		}
	}
	return nil
}

// execute runs a statement that changes tables, and waits for all servers that it concerns.
func execute(ctx context.Context, conn driver.Conn, text string) error {
	return conn.Exec(native.Context(ctx, native.WithSettings(native.Settings{
		"mutations_sync": 2, "lightweight_deletes_sync": 2, "alter_sync": 2, "distributed_ddl_output_mode": "throw",
		"distributed_ddl_task_timeout": 120,
	})), text)
}

// beginning returns the first words of a statement.
func beginning(text string) string {
	text, _, _ = strings.Cut(text, " (")
	if len(text) > 60 {
		text = text[:60] + "…"
	}
	return text
}

// version returns the version of the schema of a database, 0 if there is none, and where its tables
// are.
func version(ctx context.Context, conn driver.Conn, database string) (v int, sc schema, err error) {
	sc.database = database
	rows, err := conn.Query(ctx, "SELECT name, engine_full FROM system.tables WHERE database="+sql.Text(database)+
		" AND name IN ('profiles', 'profiles_shard', 'versions')")
	if err != nil {
		return 0, sc, err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	tables := map[string]string{}
	for rows.Next() {
		var name, engine string
		if err := rows.Scan(&name, &engine); err != nil {
			return 0, sc, err
		}
		tables[name] = engine
	}
	if err := rows.Err(); err != nil {
		return 0, sc, err
	}
	if rest, ok := strings.CutPrefix(tables["profiles"], "Distributed('"); ok {
		sc.cluster, _, _ = strings.Cut(rest, "'")
	}
	sc.replicated = strings.HasPrefix(tables["profiles_shard"], "Replicated")
	stored := tables["profiles"]
	if sc.cluster != "" {
		stored = tables["profiles_shard"]
	}
	sc.coarse = stored != "" && !strings.Contains(stored, "index_granularity = 64")
	if tables["versions"] == "" || tables["profiles"] == "" {
		return 0, sc, nil
	}
	var newest uint32
	if err := conn.QueryRow(ctx, "SELECT max(version) FROM "+database+".versions").Scan(&newest); err != nil {
		return 0, sc, err
	}
	return int(newest), sc, nil
}

func newer(a *Address, op string, format int) error {
	return &diag.Error{
		Op: op, Subject: a.String(), Err: fmt.Errorf("it has format %d; this whet reads format %d", format, Format),
		Hint: "use a newer whet",
	}
}
