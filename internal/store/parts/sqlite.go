package parts

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/whet-go/whet/store"
)

// Schema creates the tables.
const Schema = `
CREATE TABLE recording(
	id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, service TEXT NOT NULL, labels TEXT NOT NULL,
	start INTEGER NOT NULL, duration INTEGER NOT NULL, about TEXT NOT NULL, size INTEGER NOT NULL, sum BLOB NOT NULL,
	hash BLOB NOT NULL, UNIQUE(tenant, hash));
CREATE INDEX recording_time ON recording(tenant, start);
CREATE TABLE part(id INTEGER PRIMARY KEY, recording INTEGER NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX part_number ON part(recording, number);
`

// A Querier is a database, a connection to one, or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Insert adds a recording, unless the tenant has it.
func Insert(ctx context.Context, tx *sql.Tx, tenant string, id store.ID, r *store.Recording, content []byte) error {
	labels, err := json.Marshal(r.Labels)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	x, err := tx.ExecContext(ctx, `INSERT INTO recording(tenant, service, labels, start, duration, about, size, sum, hash)
		VALUES(?,?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`, tenant, r.Service, string(labels), r.Start.UnixNano(),
		int64(r.Duration), r.About, len(content), sum[:], id[:])
	if err != nil {
		return err
	}
	if n, err := x.RowsAffected(); err != nil || n == 0 {
		return err
	}
	row, err := x.LastInsertId()
	if err != nil {
		return err
	}
	n := 0
	for part := range slices.Chunk(content, Size) {
		_, err := tx.ExecContext(ctx, "INSERT INTO part(recording, number, data) VALUES(?,?,?)", row, n, part)
		if err != nil {
			return err
		}
		n++
	}
	return nil
}

// Delete deletes a recording by its number.
func Delete(ctx context.Context, tx *sql.Tx, number int64) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM part WHERE recording=?", number); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM recording WHERE id=?", number)
	return err
}

// Numbers returns the numbers of the recordings that a condition selects, all if it is "".
func Numbers(ctx context.Context, q Querier, condition string, args ...any) ([]int64, error) {
	if condition != "" {
		condition = " WHERE " + condition
	}
	rows, err := q.QueryContext(ctx, "SELECT id FROM recording"+condition, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	var all []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}

// Excess returns the numbers of the oldest recordings of a service, without which it has at most this many
// bytes of them.
func Excess(ctx context.Context, q Querier, tenant, service string, bytes int64) ([]int64, error) {
	return Numbers(ctx, q, `id IN (SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY start DESC, id DESC) AS newer
		FROM recording WHERE tenant=? AND service=?) WHERE newer>?)`, tenant, service, bytes)
}

// A Row is a recording in the table.
type Row struct {
	store.Recording
	Number int64
	Sum    []byte // SHA-256 of the file
}

const columns = "SELECT id, hash, service, labels, start, duration, about, size, sum FROM recording WHERE "

func (r *Row) scan(rows interface{ Scan(into ...any) error }) error {
	var hash, labels []byte
	var start, duration int64
	err := rows.Scan(&r.Number, &hash, &r.Service, &labels, &start, &duration, &r.About, &r.Size, &r.Sum)
	if err != nil {
		return err
	}
	if copy(r.ID[:], hash) != len(r.ID) || len(r.Sum) != sha256.Size || r.Size < 0 {
		return fmt.Errorf("row %d of recordings: %w", r.Number, ErrDamaged)
	}
	r.Start, r.Duration = time.Unix(0, start).UTC(), time.Duration(duration)
	if err := json.Unmarshal(labels, &r.Labels); err != nil {
		return fmt.Errorf("row %d of recordings: %w: %w", r.Number, ErrDamaged, err)
	}
	return nil
}

// List returns the recordings that a query selects, newest first, at most limit.
func List(ctx context.Context, from Querier, q *store.Query, limit int) ([]store.Recording, error) {
	condition, args := "tenant=?", []any{q.Tenant}
	if !q.From.IsZero() {
		condition, args = condition+" AND start>=?", append(args, q.From.UnixNano())
	}
	if !q.To.IsZero() {
		condition, args = condition+" AND start<?", append(args, q.To.UnixNano())
	}
	rows, err := from.QueryContext(ctx, columns+condition+" ORDER BY start DESC, id DESC", args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	out := []store.Recording{}
	for len(out) < limit && rows.Next() {
		var r Row
		if err := r.scan(rows); err != nil {
			return nil, err
		}
		if q.Matches(r.Service, store.RecordingKind, r.Labels) {
			out = append(out, r.Recording)
		}
	}
	return out, rows.Err()
}

// Find returns the recording that a condition selects; store.ErrNotFound if there is none.
func Find(ctx context.Context, q Querier, condition string, args ...any) (r Row, err error) {
	if err = r.scan(q.QueryRowContext(ctx, columns+condition, args...)); errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	return r, err
}

// Part returns part n of a recording; nil if it is missing.
func (r *Row) Part(ctx context.Context, q Querier, n int) (data []byte, err error) {
	err = q.QueryRowContext(ctx, "SELECT data FROM part WHERE recording=? AND number=?", r.Number, n).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return data, err
}
