package local

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/store"
)

// WriteResults implements store.ResultStore. Retention does not delete results.
func (s *Store) WriteResults(ctx context.Context, tenant string, results []store.Result) error {
	if err := store.CheckTenant(tenant); err != nil {
		return &store.InvalidError{Err: err}
	}
	if err := store.CheckResults(results); err != nil {
		return err
	}
	return s.alone(ctx, func(ctx context.Context, w *writer) error {
		return w.transact(ctx, func(tx *sql.Tx) error {
			for i := range results {
				r := &results[i]
				id := r.ID()
				_, err := tx.ExecContext(ctx, `INSERT INTO result(tenant, kind, service, revision, time, hash, data)
					VALUES(?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`, tenant, r.Kind, r.Service, r.Revision, r.Time.UnixNano(), id[:],
					w.s.encoder.EncodeAll(r.Document, nil))
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// Results implements store.ResultStore.
func (s *Store) Results(ctx context.Context, q store.ResultQuery) ([]store.Result, error) {
	if err := store.CheckTenant(q.Tenant); err != nil {
		return nil, err
	}
	text, args := "SELECT kind, service, revision, time, data FROM result WHERE tenant=?", []any{q.Tenant}
	for column, value := range map[string]string{"kind": q.Kind, "service": q.Service, "revision": q.Revision} {
		if value != "" {
			text, args = text+" AND "+column+"=?", append(args, value)
		}
	}
	from, to := nanoseconds(&store.Query{From: q.From, To: q.To})
	limit := q.Limit
	if limit <= 0 {
		limit = defaultProfiles
	}
	out := []store.Result{}
	err := s.view(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, text+" AND time>=? AND time<? ORDER BY time DESC, id DESC LIMIT ?",
			append(args, from, to, limit)...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // Err is what counts
		for rows.Next() {
			var r store.Result
			var at int64
			var blob []byte
			if err := rows.Scan(&r.Kind, &r.Service, &r.Revision, &at, &blob); err != nil {
				return err
			}
			r.Time = timeOf(at)
			if r.Document, err = s.decoder.DecodeAll(blob, []byte{}); err != nil {
				return fmt.Errorf("result of %s at %s: %w: %w", r.Service, r.Time, packed.ErrDamaged, err)
			}
			out = append(out, r)
		}
		return rows.Err()
	})
	return out, err
}
