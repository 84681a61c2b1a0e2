package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/address"
	"github.com/whet-go/whet/internal/store/cluster"
	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/internal/store/symbols"
	"github.com/whet-go/whet/internal/store/tables"
	"github.com/whet-go/whet/store"
)

// An Address says where a store on ClickHouse is, and how to connect; see ParseAddress. Migrate creates the
// tables on its Cluster.
type Address = address.Address

// PasswordVariable is the environment variable that has the password, unless the address names a
// file with it.
const PasswordVariable = address.PasswordVariable

// IsAddress reports whether the name of a store is an address of ClickHouse.
func IsAddress(name string) bool { return address.Is(name) }

// ParseAddress reads an address, such as clickhouse://user@host:9000,host2:9000/database?cluster=name, with
// the parameters that docs/store.md lists. A password in it is an error, and so is one that would be sent to
// another machine without TLS. Errors have hints.
func ParseAddress(text string) (*Address, error) { return address.Parse(text) }

// Options configure Open. The zero Options open a store for reading and writing.
type Options struct {
	// Limits bound what is written. Each process counts the series that it knows, and reads those of
	// others now and then, so that several processes may exceed the limit of series a little.
	Limits store.Limits
	// Retention is what Compact deletes; its Size is that of all copies on all servers. See
	// MigrateOptions for what the server deletes by itself.
	Retention store.Retention
	// Memory bounds the dictionaries in memory, in bytes: two thirds of it those of queries, a third those of what is
	// written; 0: 288 MiB.
	Memory int64
	// AllowPartial answers all queries without the shards of a cluster that do not answer, and calls
	// Warn with a *store.PartialError before the query returns. Otherwise they are an error, except in
	// the contexts of store.AllowPartial.
	AllowPartial bool
	// Interval is the least time between two inserts: batches that arrive meanwhile are inserted
	// together. 0: 50 ms; negative: none.
	Interval time.Duration
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Warn is called with what does not stop an operation; nil ignores it.
	Warn func(error)
}

// A Store is an open store; see Open.
type Store struct {
	a        *Address
	o        Options
	conn     driver.Conn   // to the first host that answers
	schema   tables.Schema // Cluster is "" on one server
	known    *symbols.Cache
	bucket   *store.Bucket
	shapes   sync.Map // of the samples of the last query, by kind
	topology *cluster.Topology

	requests chan *request
	closing  chan struct{}
	close    sync.Once
	done     chan struct{} // closed when the writer has ended
}

// ErrClosed is returned by operations on a closed store.
var ErrClosed = errors.New("the store is closed")

// Codes of errors of the server.
const (
	codeBadArguments    = 36
	codeUnknownTable    = 60
	codeUnknownDatabase = 81
	codeAuthentication  = 516
	codeNoDescriptor    = 75 // writing to a file failed
	codeNoSpace         = 243
)

// Open opens a store whose tables Migrate has created.
func Open(ctx context.Context, a *Address, o Options) (*Store, error) {
	o.Limits = o.Limits.WithDefaults()
	if o.Memory == 0 {
		o.Memory = 288 << 20
	}
	if o.Interval == 0 {
		o.Interval = 50 * time.Millisecond
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	conn, err := cluster.Connect(a, a.Database)
	if err != nil {
		return nil, &diag.Error{Op: "open store", Subject: a.String(), Err: err}
	}
	s := &Store{
		a: a, o: o, conn: conn, known: symbols.NewCache(o.Memory * 2 / 3), bucket: store.NewBucket(o.Limits),
		requests: make(chan *request), closing: make(chan struct{}), done: make(chan struct{}),
	}
	v, sc, err := version(ctx, conn, a.Database)
	switch {
	case err != nil && cluster.Code(err) != codeUnknownDatabase:
		err = s.explain(ctx, "open store", err)
	case v == 0:
		err = &diag.Error{
			Op: "open store", Subject: a.String(), Err: errors.New("there is no store"),
			Hint: "`whet store migrate --store ADDRESS` creates it",
		}
	case v > Format:
		err = newer(a, "open store", v)
	case v < Format:
		err = &diag.Error{
			Op: "open store", Subject: a.String(), Err: fmt.Errorf("it has format %d; this whet writes format %d", v, Format),
			Hint: "`whet store migrate --store ADDRESS` brings it up to date",
		}
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	s.schema = sc
	if s.topology, err = cluster.New(a, s.schema.Cluster); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	s.source(ctx)
	w := &writer{s: s, series: map[string]*knownSeries{}}
	go w.run()
	return s, nil
}

// Close ends the writer after the batches that it has taken, and closes the connections.
func (s *Store) Close() error {
	s.close.Do(func() { close(s.closing) })
	<-s.done
	return errors.Join(s.conn.Close(), s.topology.Close())
}

// settings returns the settings of queries. Those that decide whether an answer is
// complete are always set, whatever the server's defaults are.
func (s *Store) settings(ctx context.Context, more native.Settings) native.Settings {
	skip := 0
	if s.partial(ctx) != nil {
		skip = 1
	}
	all := native.Settings{
		"skip_unavailable_shards": skip, "optimize_skip_unused_shards": 0, "enable_unaligned_array_join": 1,
		"max_query_size": 64 << 20, "do_not_merge_across_partitions_select_final": 1,
	}
	maps.Copy(all, more)
	return all
}

// query runs a query on the tables that have all rows, and calls scan for each row.
func (s *Store) query(ctx context.Context, text string, more native.Settings, scan func(driver.Rows) error) error {
	return cluster.Query(ctx, s.conn, text, s.settings(ctx, more), scan)
}

// missing returns the shards of the cluster that do not answer now.
func (s *Store) missing(ctx context.Context) ([]string, error) {
	type shard struct {
		number uint32
		hosts  []string
	}
	var all []shard
	err := s.query(ctx, "SELECT shard_num, groupArray(concat(host_name, ':', toString(port))) FROM system.clusters "+
		"WHERE cluster="+sql.Text(s.schema.Cluster)+" GROUP BY shard_num ORDER BY shard_num", nil, func(r driver.Rows) error {
		var x shard
		if err := r.Scan(&x.number, &x.hosts); err != nil {
			return err
		}
		all = append(all, x)
		return nil
	})
	if err != nil {
		return nil, err
	}
	answered := map[uint32]bool{}
	err = s.query(ctx, "SELECT shardNum() FROM cluster("+sql.Text(s.schema.Cluster)+", system, one)",
		native.Settings{"skip_unavailable_shards": 1}, func(r driver.Rows) error {
			var n uint32
			if err := r.Scan(&n); err != nil {
				return err
			}
			answered[n] = true
			return nil
		})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, x := range all {
		if !answered[x.number] {
			out = append(out, fmt.Sprintf("shard %d (%s)", x.number, strings.Join(x.hosts, ", ")))
		}
	}
	return out, nil
}

// partial returns what to call with the shards that an answer lacks; nil if it must not lack any.
func (s *Store) partial(ctx context.Context) func(*store.PartialError) {
	if missing := store.PartialAllowed(ctx); missing != nil {
		return missing
	}
	if !s.o.AllowPartial {
		return nil
	}
	return func(e *store.PartialError) { s.o.Warn(e) }
}

// viewFrom runs the queries of one answer, which may be repeated: on each shard itself, and if one of them does not
// answer through the Distributed tables, which find other replicas.
func (s *Store) viewFrom(ctx context.Context, op string, work func(cluster.Source) error) error {
	if from := s.source(ctx); from.Shards() != nil {
		err := work(from)
		if err == nil || ctx.Err() != nil || !cluster.Temporary(err) {
			return s.explain(ctx, op, err)
		}
		s.topology.Forget()
	}
	return s.view(ctx, op, func() error { return work(s.whole()) })
}

// source returns where to send queries now.
func (s *Store) source(ctx context.Context) cluster.Source { return s.topology.Current(ctx, s.query) }

// whole returns the source of the tables that have all rows.
func (s *Store) whole() cluster.Source { return cluster.OnlyWhole(s.query) }

// view runs the queries of one answer. If it may be partial, shards that do not answer before or
// after them are reported.
func (s *Store) view(ctx context.Context, op string, work func() error) error {
	report := s.partial(ctx)
	if report == nil || s.schema.Cluster == "" {
		return s.explain(ctx, op, work())
	}
	before, err := s.missing(ctx)
	if err != nil {
		return s.explain(ctx, op, err)
	}
	result := work()
	after, err := s.missing(ctx)
	if err != nil {
		return s.explain(ctx, op, err)
	}
	all := slices.Compact(slices.Sorted(slices.Values(append(before, after...))))
	if len(all) > 0 {
		report(&store.PartialError{Cluster: s.schema.Cluster, Missing: all})
	}
	return s.explain(ctx, op, result)
}

// explain returns an error with the shard that is down, or with what to do.
func (s *Store) explain(ctx context.Context, op string, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	var known *diag.Error
	if errors.As(err, &known) {
		return err
	}
	e := &diag.Error{Op: op, Subject: s.a.String(), Err: err}
	var untrusted *tls.CertificateVerificationError
	var alert *net.OpError
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &untrusted):
		e.Hint = "name the authority of the servers with ?ca_file=FILE, and the hosts as their certificates do"
	case errors.As(err, &alert) && alert.Op == "remote error": // of package tls
		e.Hint = "do the servers require a client certificate? ?cert_file=FILE&key_file=FILE have it"
	case errors.As(err, &plain):
		e.Err = errors.New("that port does not serve TLS")
		e.Hint = "it is the port tcp_port_secure of the servers, usually 9440"
	case cluster.Code(err) == codeAuthentication:
		e.Err = fmt.Errorf("the server refuses user %q or the password", s.a.User)
		e.Hint = "the password is read from ?password_file=FILE or from " + PasswordVariable
	case cluster.Code(err) == codeUnknownDatabase || cluster.Code(err) == codeUnknownTable:
		e.Hint = "`whet store migrate --store ADDRESS` creates the tables"
	case cluster.Code(err) == codeNoSpace || cluster.Code(err) == codeNoDescriptor:
		e.Hint = "free space on the servers' disks, or keep less: `whet store compact --retention AGE`"
	case cluster.Code(err) == 0 && cluster.Broken(err):
		e.Err = fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		e.Hint = "is a ClickHouse server running there, and does it serve the native protocol on that port?"
		// The connection may be reset before its alert arrives.
		if s.a.TLS != nil && len(s.a.TLS.Certificates) == 0 {
			e.Hint += " one that requires a client certificate hangs up, too: ?cert_file=FILE&key_file=FILE have it"
		}
	case s.schema.Cluster != "" && cluster.Code(err) != 0:
		if missing, probe := s.missing(ctx); probe == nil && len(missing) > 0 {
			down := &store.PartialError{Cluster: s.schema.Cluster, Missing: missing}
			e.Err = fmt.Errorf("%w: %w", down, store.ErrUnavailable)
			e.Hint = "start it; --allow-partial of whet query and whet serve answers without it, and says so"
		}
	}
	return e
}
