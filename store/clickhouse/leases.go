package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/cluster"
	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/store"
)

// Parts of a lease in its table, which are replaced separately.
const (
	leasePart    = "lease"
	documentPart = "document"
)

// maxReplicaDelay is how many seconds a replica may be behind, for leases to be read from it.
const maxReplicaDelay = 3

// leaseSettings are those of queries about leases, which go to the shard that has the group, and to its
// first replica that answers and is not behind. No answer is partial.
func leaseSettings() native.Settings {
	return native.Settings{
		"skip_unavailable_shards": 0, "optimize_skip_unused_shards": 1, "load_balancing": "in_order",
		"max_replica_delay_for_distributed_queries": maxReplicaDelay, "fallback_to_stale_replicas_for_distributed_queries": 0,
	}
}

// putLease inserts a part of a lease. ends is an expression in nanoseconds since 1970; now is that of
// the server.
func (s *Store) putLease(ctx context.Context, tenant, group, member, part, ends, document string) error {
	with := native.Context(ctx, native.WithSettings(native.Settings{
		"insert_deduplicate": 0, "async_insert": 0, "distributed_foreground_insert": 1,
		"parallel_distributed_insert_select": 0, "load_balancing": "in_order",
		"max_query_size": 4*store.MaxLeaseDocument + 1<<20, // bytes may be quoted
	}))
	const now = "toUnixTimestamp64Nano(now64(9))"
	row := []string{sql.Text(tenant), sql.Text(group), sql.Text(member), sql.Text(part), now, ends, sql.Text(document)}
	text := "INSERT INTO leases (tenant, service, member, part, at, ends, document) SELECT " + strings.Join(row, ", ")
	err := s.conn.Exec(with, text)
	if err != nil && cluster.Broken(err) && ctx.Err() == nil {
		err = s.conn.Exec(with, text) // the server has closed the connection
	}
	return err
}

// Renew implements store.LeaseStore. Leases end by the clock of the server that answers.
func (s *Store) Renew(
	ctx context.Context, tenant, group, member string, ttl time.Duration,
) (all []store.Lease, err error) {
	if err := store.CheckLease(tenant, group, member); err != nil {
		return nil, err
	}
	ends := fmt.Sprintf("toUnixTimestamp64Nano(now64(9)) + %d", ttl.Nanoseconds())
	err = s.putLease(ctx, tenant, group, member, leasePart, ends, "")
	if err == nil {
		all, err = s.readLeases(ctx,
			"tenant="+sql.Text(tenant)+" AND service="+sql.Text(group)+" AND part="+sql.Text(leasePart),
			leaseSettings())
	}
	if err != nil {
		return nil, s.leaseError(ctx, err)
	}
	return all, nil
}

// readLeases returns the leases that were not released, by group and member, with the documents among
// the rows that a condition selects.
func (s *Store) readLeases(ctx context.Context, where string, with native.Settings) ([]store.Lease, error) {
	var all []store.Lease
	documents := map[[2]string]string{}
	err := s.query(ctx, "SELECT service, member, part, ends, ends - toUnixTimestamp64Nano(now64(9)), document "+
		"FROM leases FINAL WHERE "+where+" ORDER BY service, member", with, func(r driver.Rows) error {
		var one store.Lease
		var part, document string
		var ends, left int64
		if err := r.Scan(&one.Group, &one.Member, &part, &ends, &left, &document); err != nil {
			return err
		}
		switch {
		case part == documentPart:
			documents[[2]string{one.Group, one.Member}] = document
		case ends != 0 && left > -store.LeaseMemory.Nanoseconds():
			one.Left = time.Duration(left)
			all = append(all, one)
		}
		return nil
	})
	for i := range all {
		if text := documents[[2]string{all[i].Group, all[i].Member}]; text != "" {
			all[i].Document = []byte(text)
		}
	}
	return all, err
}

// Release implements store.LeaseStore.
func (s *Store) Release(ctx context.Context, tenant, group, member string) error {
	if err := store.CheckLease(tenant, group, member); err != nil {
		return err
	}
	err := s.putLease(ctx, tenant, group, member, leasePart, "0", "")
	if err == nil {
		err = s.putLease(ctx, tenant, group, member, documentPart, "0", "")
	}
	return s.explain(ctx, "release lease", err)
}

// Publish implements store.LeaseStore.
func (s *Store) Publish(ctx context.Context, tenant, group, member string, document []byte) error {
	if err := store.CheckLease(tenant, group, member); err != nil {
		return err
	}
	if err := store.CheckLeaseDocument(document); err != nil {
		return err
	}
	err := s.putLease(ctx, tenant, group, member, documentPart, "0", string(document))
	return s.explain(ctx, "publish with a lease", err)
}

// Leases implements store.LeaseStore.
func (s *Store) Leases(ctx context.Context, tenant string) (all []store.Lease, err error) {
	if err := store.CheckTenant(tenant); err != nil {
		return nil, &store.InvalidError{Err: err}
	}
	err = s.view(ctx, "read leases", func() error {
		all, err = s.readLeases(ctx, "tenant="+sql.Text(tenant), nil)
		return err
	})
	return all, err
}

// leaseError explains an error. It says ErrDown if a server answers that the shard is down, or if all
// servers of the address refuse connections: then others cannot reach it either. A connection that was
// open fails in another way, so all are tried.
func (s *Store) leaseError(ctx context.Context, err error) error {
	down := true
	for _, host := range s.a.Hosts {
		conn, refused := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", host)
		if refused == nil {
			_ = conn.Close() // nothing was sent
		}
		if down = errors.Is(refused, syscall.ECONNREFUSED); !down {
			break
		}
	}
	err = s.explain(ctx, "renew lease", err)
	if lacks := (*store.PartialError)(nil); down || errors.As(err, &lacks) {
		return fmt.Errorf("%w: %w", err, store.ErrDown)
	}
	return err
}
