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
	"github.com/whet-go/whet/internal/store/cluster"
	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/internal/store/tables"
)

// Format is the version of the schema that this package writes. A store of a newer one is not opened.
const Format = 2

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
	conn, err := cluster.Connect(a, "")
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
		sc.Database, sc.Cluster, sc.Replicated = a.Database, a.Cluster, a.Cluster != "" && !o.Unreplicated
	}
	m.Cluster = sc.Cluster
	switch {
	case v > Format:
		return m, newer(a, "migrate store", v)
	case a.Cluster != "" && sc.Cluster != a.Cluster:
		where := "one server"
		if sc.Cluster != "" {
			where = "cluster " + sc.Cluster
		}
		return m, &diag.Error{
			Op: "migrate store", Subject: a.String(), Err: fmt.Errorf("its tables are on %s, not on %s", where, a.Cluster),
			Hint: "name another database for the cluster",
		}
	case sc.Cluster == "" || sc.Replicated:
		return m, s.explain(ctx, "migrate store", apply(ctx, sc, conn, v, o))
	}
	if err := s.complete(ctx, sc.Cluster); err != nil {
		return fail(err)
	}
	return m, s.each(ctx, func(conn driver.Conn) error {
		v, _, err := version(ctx, conn, a.Database)
		if err != nil {
			return err
		}
		return apply(ctx, sc, conn, v, o)
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
		conn, err := cluster.Connect(&one, "")
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
func apply(ctx context.Context, s tables.Schema, conn driver.Conn, from int, o MigrateOptions) error {
	exec := func(text string) error {
		if err := execute(ctx, conn, text); err != nil {
			return fmt.Errorf("%s: %w", beginning(text), err)
		}
		return nil
	}
	if err := exec("CREATE DATABASE IF NOT EXISTS " + s.Database + s.On()); err != nil {
		return err
	}
	if err := exec(s.Versions()); err != nil {
		return err
	}
	for i, statements := range s.Migrations() {
		for _, text := range statements {
			if err := exec(text); err != nil {
				return err
			}
		}
		if i+1 <= from {
			continue
		}
		if err := exec(fmt.Sprintf("INSERT INTO %s.versions (version, by) VALUES (%d, %s)", s.Database, i+1,
			sql.Text(o.Version))); err != nil {
			return err
		}
	}
	if o.Retention == nil {
		return nil
	}
	for _, text := range s.Expire(*o.Retention) {
		// A table without TTL has none to remove.
		if err := exec(text); err != nil && (*o.Retention != 0 || cluster.Code(err) != codeBadArguments) {
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
func version(ctx context.Context, conn driver.Conn, database string) (v int, sc tables.Schema, err error) {
	sc.Database = database
	rows, err := conn.Query(ctx, "SELECT name, engine_full FROM system.tables WHERE database="+sql.Text(database)+
		" AND name IN ('profiles', 'profiles_shard', 'versions')")
	if err != nil {
		return 0, sc, err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	engines := map[string]string{}
	for rows.Next() {
		var name, engine string
		if err := rows.Scan(&name, &engine); err != nil {
			return 0, sc, err
		}
		engines[name] = engine
	}
	if err := rows.Err(); err != nil {
		return 0, sc, err
	}
	if rest, ok := strings.CutPrefix(engines["profiles"], "Distributed('"); ok {
		sc.Cluster, _, _ = strings.Cut(rest, "'")
	}
	sc.Replicated = strings.HasPrefix(engines["profiles_shard"], "Replicated")
	stored := engines["profiles"]
	if sc.Cluster != "" {
		stored = engines["profiles_shard"]
	}
	sc.Coarse = stored != "" && !strings.Contains(stored, fmt.Sprint("index_granularity = ", tables.Granule))
	if engines["versions"] == "" || engines["profiles"] == "" {
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
