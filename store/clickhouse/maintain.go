package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/internal/store/symbols"
	"github.com/whet-go/whet/store"
)

// system returns a system table with the rows of all servers that have the store's tables.
func (s *Store) system(table string) string {
	if s.schema.Cluster == "" {
		return "system." + table
	}
	return "clusterAllReplicas(" + sql.Text(s.schema.Cluster) + ", system, " + table + ")"
}

// change runs a statement that changes tables on all servers.
func (s *Store) change(ctx context.Context, text string) error {
	if s.schema.Cluster == "" || s.schema.Replicated {
		return execute(ctx, s.conn, text)
	}
	if err := s.complete(ctx, s.schema.Cluster); err != nil {
		return err
	}
	return s.each(ctx, func(conn driver.Conn) error { return execute(ctx, conn, text) })
}

// Stats counts what is stored. Bytes of a service are its share of a table, by the number of samples;
// on a cluster with replicas they are those of all copies.
func (s *Store) Stats(ctx context.Context) (out store.Usage, err error) {
	out = store.Usage{Services: []store.ServiceUsage{}}
	err = s.view(ctx, "count", func() error { return s.stats(ctx, &out) })
	return out, err
}

func (s *Store) stats(ctx context.Context, out *store.Usage) error {
	var err error
	if out.Format, _, err = version(ctx, s.conn, s.a.Database); err != nil {
		return err
	}
	sizes, err := s.sizes(ctx)
	if err != nil {
		return err
	}
	for _, n := range sizes {
		out.Bytes += n
	}
	err = s.query(ctx, "SELECT toInt64(count()) FROM results FINAL", nil, func(r driver.Rows) error {
		var n int64
		err := r.Scan(&n)
		out.Results = int(n)
		return err
	})
	if err != nil {
		return err
	}
	const recordings = "SELECT toInt64(count()), toInt64(sum(size)) FROM recordings FINAL"
	err = s.query(ctx, recordings, nil, func(r driver.Rows) error {
		var n int64
		err := r.Scan(&n, &out.RecordingBytes)
		out.Recordings = int(n)
		return err
	})
	if err != nil {
		return err
	}
	samples := int64(0)
	err = s.query(ctx, `SELECT tenant, service, toInt64(uniqExact(series)), toInt64(count()), toInt64(sum(samples)),
		min(start), max(start) FROM profiles FINAL GROUP BY tenant, service ORDER BY tenant, service`, nil,
		func(r driver.Rows) error {
			var x store.ServiceUsage
			var n, profiles int64
			if err := r.Scan(&x.Tenant, &x.Service, &n, &profiles, &x.Samples, &x.First, &x.Last); err != nil {
				return err
			}
			x.Series, x.Profiles, x.First, x.Last = int(n), int(profiles), x.First.UTC(), x.Last.UTC()
			samples += x.Samples
			out.Services = append(out.Services, x)
			return nil
		})
	if err != nil {
		return err
	}
	lengths := map[symbols.Scope]float64{}
	all := 0.0
	err = s.query(ctx, "SELECT tenant, service, toFloat64(sum(length(frames))) FROM stacks GROUP BY tenant, service", nil,
		func(r driver.Rows) error {
			var k symbols.Scope
			var n float64
			if err := r.Scan(&k.Tenant, &k.Service, &n); err != nil {
				return err
			}
			lengths[k] = n
			all += n
			return nil
		})
	size := func(table string) float64 { return float64(sizes[table]) }
	for i := range out.Services {
		x := &out.Services[i]
		if samples > 0 {
			x.Bytes = int64(size("profiles") * float64(x.Samples) / float64(samples))
		}
		if n := lengths[symbols.Scope{Tenant: x.Tenant, Service: x.Service}]; all > 0 {
			x.Symbols = int64((size("stacks") + size("frames")) * n / all)
		}
	}
	return err
}

// Check reads all that is stored, and verifies that each profile still has the content that its ID is
// the hash of. progress, unless nil, is called now and then with the number of profiles read and of
// all. An error is returned only if checking is not possible.
func (s *Store) Check(ctx context.Context, progress func(done, all int)) (store.CheckReport, error) {
	r := store.CheckReport{Damage: []store.Damage{}}
	err := s.view(ctx, "check store", func() error {
		usage := store.Usage{}
		if err := s.stats(ctx, &usage); err != nil {
			return err
		}
		all := 0
		for _, x := range usage.Services {
			all += x.Profiles
		}
		for _, x := range usage.Services {
			r.Dictionaries++
			if err := s.checkService(ctx, symbols.Scope{Tenant: x.Tenant, Service: x.Service}, &r, all, progress); err != nil {
				return err
			}
		}
		return s.checkRecordings(ctx, &r)
	})
	return r, err
}

// checked is how many profiles one query of Check reads.
const checked = 200

func (s *Store) checkService(
	ctx context.Context, k symbols.Scope, r *store.CheckReport, all int, progress func(done, all int),
) error {
	after := ""
	for {
		labels, err := s.labels(ctx, k)
		if err != nil {
			return err
		}
		var rows []*row
		err = s.query(ctx, "SELECT "+rowColumns+" FROM profiles FINAL PREWHERE tenant="+sql.Text(k.Tenant)+" AND service="+
			sql.Text(k.Service)+after+fmt.Sprintf(" ORDER BY start, id LIMIT %d", checked), nil, func(rs driver.Rows) error {
			x := &row{}
			rows = append(rows, x)
			return x.scan(rs)
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, x := range rows {
			p, err := s.profile(ctx, k.Tenant, x, labels)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil {
				if id := store.NewID(&p); string(id[:]) != x.id {
					err = errors.New("its content is not what was stored")
				}
			}
			if err != nil {
				r.Add(fmt.Sprintf("profile %x of %s at %s", x.id, store.OfService(k.Tenant, k.Service),
					x.start.UTC().Format(time.RFC3339)), err)
			}
			if r.Profiles++; progress != nil && r.Profiles%100 == 0 {
				progress(r.Profiles, all)
			}
		}
		last := rows[len(rows)-1]
		after = fmt.Sprintf(" AND (start, id)>(%s, toFixedString(%s, 16))", sql.Time(last.start), sql.Text(last.id))
	}
}
