package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"

	"github.com/whet-go/whet/internal/store/parts"
	"github.com/whet-go/whet/store"
)

// alone runs work on the writer, between batches.
func (s *Store) alone(ctx context.Context, work func(context.Context, *writer) error) error {
	return s.do(ctx, &request{alone: work})
}

// step is how many profiles one transaction of retention deletes, so that batches do not wait long.
const step = 500

// Compact applies the retention, drops dictionaries and series without profiles, joins the chunks of
// each dictionary, and gives free pages back to the file system. Memory is bounded by the largest
// dictionary. Other requests wait meanwhile.
func (s *Store) Compact(ctx context.Context) error {
	return s.alone(ctx, func(ctx context.Context, w *writer) error {
		if err := w.maintain(ctx); err != nil {
			return err
		}
		if err := w.dropUnused(ctx); err != nil {
			return err
		}
		if _, err := w.conn.ExecContext(ctx, "DELETE FROM head WHERE id NOT IN (SELECT head FROM profile)"); err != nil {
			return err
		}
		clear(w.heads)
		many, err := column[int64](ctx, w.conn, "SELECT dictionary FROM chunk GROUP BY dictionary HAVING count(*)>1")
		if err != nil {
			return err
		}
		for _, id := range many {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := w.transact(ctx, func(tx *sql.Tx) error { return w.join(ctx, tx, id, -1) })
			if err != nil {
				return err
			}
			for _, d := range w.open {
				if d.id == id {
					d.small = 1
				}
			}
		}
		return w.shrinkFile(ctx, -1)
	})
}

// maintain applies the retention.
func (w *writer) maintain(ctx context.Context) error {
	r := w.s.o.Retention
	deleted := false
	if r.Age > 0 {
		var newest sql.NullInt64
		const last = "SELECT max(start) FROM " +
			"(SELECT max(start) AS start FROM profile UNION ALL SELECT max(start) FROM recording)"
		if err := w.conn.QueryRowContext(ctx, last).Scan(&newest); err != nil {
			return err
		}
		before := min(w.s.o.Now().UnixNano(), newest.Int64) - int64(r.Age)
		for more := true; more; {
			n, err := w.delete(ctx, "SELECT id FROM profile WHERE start<? ORDER BY start LIMIT ?", before, step)
			if err != nil {
				return err
			}
			more, deleted = n == step, deleted || n > 0
		}
		old, err := parts.Numbers(ctx, w.conn, "start<?", before)
		if err == nil {
			err = w.deleteRecordings(ctx, old)
		}
		if err != nil {
			return err
		}
		deleted = deleted || len(old) > 0
	}
	if r.Size > 0 {
		if w.added > r.Size/8 {
			// From now on, new dictionaries: what is deleted soon does not share one with what remains.
			err := w.transact(ctx, func(tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE dictionary SET open=0")
				return err
			})
			if err != nil {
				return err
			}
			clear(w.open)
			w.s.forget()
			w.added = 0
		}
		for {
			used, err := used(ctx, w.conn)
			if err != nil || used <= r.Size {
				if err != nil {
					return err
				}
				break
			}
			n, err := w.deleteOldest(ctx)
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
			deleted = true
			if err := w.dropUnused(ctx); err != nil {
				return err
			}
		}
	}
	if !deleted {
		return nil
	}
	if err := w.dropUnused(ctx); err != nil {
		return err
	}
	return w.shrinkFile(ctx, 4096)
}

// delete deletes the profiles whose ids a query returns, and returns their number.
func (w *writer) delete(ctx context.Context, ids string, args ...any) (n int64, err error) {
	err = w.transact(ctx, func(tx *sql.Tx) error {
		r, err := tx.ExecContext(ctx, "DELETE FROM profile WHERE id IN ("+ids+")", args...)
		if err != nil {
			return err
		}
		n, err = r.RowsAffected()
		return err
	})
	return n, err
}

// deleteOldest deletes the oldest profiles, or the oldest recording if that is older, and returns how many
// of them.
func (w *writer) deleteOldest(ctx context.Context) (int64, error) {
	old, err := parts.Numbers(ctx, w.conn, "id=(SELECT id FROM recording ORDER BY start LIMIT 1) "+
		"AND start<=coalesce((SELECT min(start) FROM profile), start)")
	if err == nil && len(old) == 0 {
		return w.delete(ctx, "SELECT id FROM profile ORDER BY start LIMIT ?", step)
	}
	if err == nil {
		err = w.deleteRecordings(ctx, old)
	}
	return int64(len(old)), err
}

// dropUnused deletes the dictionaries and series that no profile has.
func (w *writer) dropUnused(ctx context.Context) error {
	unused, err := column[int64](ctx, w.conn,
		"SELECT id FROM dictionary d WHERE NOT EXISTS (SELECT 1 FROM profile p WHERE p.dictionary=d.id)")
	if err != nil {
		return err
	}
	for _, id := range unused {
		err := w.transact(ctx, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, "DELETE FROM chunk WHERE dictionary=?", id); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "DELETE FROM dictionary WHERE id=?", id)
			return err
		})
		if err != nil {
			return err
		}
		for k, d := range w.open {
			if d.id == id {
				delete(w.open, k)
			}
		}
		w.s.drop(id)
	}
	const unusedSeries = "NOT EXISTS (SELECT 1 FROM profile p WHERE p.series=series.id)"
	gone, err := column[int64](ctx, w.conn, "SELECT id FROM series WHERE "+unusedSeries)
	if err != nil || len(gone) == 0 {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, "DELETE FROM series WHERE "+unusedSeries); err != nil {
		return err
	}
	without := make(map[int64]bool, len(gone))
	for _, id := range gone {
		without[id] = true
	}
	for _, known := range w.series {
		maps.DeleteFunc(known, func(_ string, id int64) bool { return without[id] })
	}
	return nil
}

// shrinkFile gives at most a number of free pages back; -1: all.
func (w *writer) shrinkFile(ctx context.Context, pages int) error {
	if pages < 0 {
		if err := w.conn.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&pages); err != nil {
			return err
		}
	}
	if pages > 0 {
		rows, err := w.conn.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pages))
		if err != nil {
			return err
		}
		for rows.Next() { // each step frees a page, and has no columns
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
	var busy, logged, moved int
	return w.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &logged, &moved)
}

// used returns the size of the database without free pages, in bytes.
func used(ctx context.Context, db querier) (int64, error) {
	var pages, free, size int64
	for text, into := range map[string]*int64{"page_count": &pages, "freelist_count": &free, "page_size": &size} {
		if err := db.QueryRowContext(ctx, "PRAGMA "+text).Scan(into); err != nil {
			return 0, err
		}
	}
	return (pages - free) * size, nil
}

// Stats counts what is stored.
func (s *Store) Stats(ctx context.Context) (out store.Usage, err error) {
	out = store.Usage{Services: []store.ServiceUsage{}}
	err = s.view(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&out.Format); err != nil {
			return err
		}
		if out.Bytes, err = used(ctx, tx); err != nil {
			return err
		}
		var size int64
		if err := tx.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&out.Free); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "PRAGMA page_size").Scan(&size); err != nil {
			return err
		}
		out.Free *= size
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM result").Scan(&out.Results); err != nil {
			return err
		}
		if s.hasRecordings() {
			err := tx.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(size), 0) FROM recording").
				Scan(&out.Recordings, &out.RecordingBytes)
			if err != nil {
				return err
			}
		}
		symbols := map[scope]int64{}
		rows, err := tx.QueryContext(ctx, `SELECT d.tenant, d.service, sum(length(c.data))
			FROM dictionary d JOIN chunk c ON c.dictionary=d.id GROUP BY d.tenant, d.service`)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // Err is what counts
		for rows.Next() {
			var k scope
			var n int64
			if err := rows.Scan(&k.tenant, &k.service, &n); err != nil {
				return err
			}
			symbols[k] = n
		}
		if err := rows.Err(); err != nil {
			return err
		}
		services, err := tx.QueryContext(ctx, `SELECT s.tenant, s.service, count(DISTINCT s.id), count(*), sum(p.samples),
			sum(length(p.data)), min(p.start), max(p.start)
			FROM profile p JOIN series s ON s.id=p.series GROUP BY s.tenant, s.service ORDER BY s.tenant, s.service`)
		if err != nil {
			return err
		}
		defer func() { _ = services.Close() }() // Err is what counts
		for services.Next() {
			var x store.ServiceUsage
			var first, last int64
			err := services.Scan(&x.Tenant, &x.Service, &x.Series, &x.Profiles, &x.Samples, &x.Bytes, &first, &last)
			if err != nil {
				return err
			}
			x.First, x.Last = timeOf(first), timeOf(last)
			x.Symbols = symbols[scope{x.Tenant, x.Service}]
			out.Services = append(out.Services, x)
		}
		return services.Err()
	})
	return out, err
}
