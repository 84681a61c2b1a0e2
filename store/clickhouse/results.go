package clickhouse

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/cluster"
	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/store"
)

// WriteResults implements store.ResultStore. Retention does not delete results.
func (s *Store) WriteResults(ctx context.Context, tenant string, results []store.Result) error {
	if err := store.CheckTenant(tenant); err != nil {
		return &store.InvalidError{Err: err}
	}
	if err := store.CheckResults(results); err != nil || len(results) == 0 {
		return err
	}
	t := cluster.NewToken("results")
	t.Text(tenant)
	for i := range results {
		id := results[i].ID()
		t.Text(string(id[:]))
	}
	err := s.insert(ctx, "results", "(tenant, service, kind, revision, time, id, document)", t, len(results),
		func(to driver.Batch, i int) error {
			r := &results[i]
			id := r.ID()
			return to.Append(tenant, r.Service, r.Kind, r.Revision, r.Time.UTC(), id[:], string(r.Document))
		})
	return s.explain(ctx, "write to store", err)
}

// Results implements store.ResultStore.
func (s *Store) Results(ctx context.Context, q store.ResultQuery) ([]store.Result, error) {
	if err := store.CheckTenant(q.Tenant); err != nil {
		return nil, err
	}
	where := "tenant=" + sql.Text(q.Tenant)
	for _, c := range []struct{ column, value string }{
		{"kind", q.Kind}, {"service", q.Service}, {"revision", q.Revision},
	} {
		if c.value != "" {
			where += " AND " + c.column + "=" + sql.Text(c.value)
		}
	}
	if !q.From.IsZero() {
		where += " AND time>=" + sql.Time(q.From)
	}
	if !q.To.IsZero() {
		where += " AND time<" + sql.Time(q.To)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultProfiles
	}
	out := []store.Result{}
	err := s.view(ctx, "query", func() error {
		return s.query(ctx, "SELECT service, kind, revision, time, document FROM results FINAL WHERE "+where+
			fmt.Sprintf(" ORDER BY time DESC, id LIMIT %d", limit), nil, func(r driver.Rows) error {
			var x store.Result
			var document string
			if err := r.Scan(&x.Service, &x.Kind, &x.Revision, &x.Time, &document); err != nil {
				return err
			}
			x.Time, x.Document = x.Time.UTC(), []byte(document)
			out = append(out, x)
			return nil
		})
	})
	return out, err
}
