package clickhouse

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/cluster"
	"github.com/whet-go/whet/internal/store/parts"
	"github.com/whet-go/whet/internal/store/sql"
	"github.com/whet-go/whet/internal/store/symbols"
	"github.com/whet-go/whet/store"
)

// maxParts is how many parts of a recording one insert has.
const maxParts = 8

// WriteRecording implements store.RecordingWriter. The row that makes a recording visible is inserted after
// all of its parts.
func (s *Store) WriteRecording(
	ctx context.Context, tenant string, r store.Recording, content []byte,
) (id store.ID, err error) {
	if err := store.CheckTenant(tenant); err != nil {
		return id, &store.InvalidError{Index: -1, Err: err}
	}
	if err := s.o.Limits.CheckRecording(&r, content); err != nil {
		return id, err
	}
	if err := s.bucket.Take(tenant, 1, s.o.Now()); err != nil {
		return id, err
	}
	id, r.Size = store.NewRecordingID(&r, content), int64(len(content))
	k := symbols.Scope{Tenant: tenant, Service: r.Service}
	if err = s.insertRecording(ctx, k, id, &r, content); err == nil {
		err = s.trimRecordings(ctx, k)
	}
	return id, s.explain(ctx, "write to store", err)
}

func (s *Store) insertRecording(
	ctx context.Context, k symbols.Scope, id store.ID, r *store.Recording, content []byte,
) error {
	first := 0
	for some := range slices.Chunk(content, maxParts*parts.Size) {
		all := slices.Collect(slices.Chunk(some, parts.Size))
		t := recordingToken("parts", k, id, first)
		err := s.insert(ctx, "parts", "(tenant, service, recording, number, start, data)", t, len(all),
			func(to driver.Batch, i int) error {
				return to.Append(k.Tenant, k.Service, id[:], uint32(first+i), r.Start.UTC(), string(all[i])) //nolint:gosec // few
			})
		if err != nil {
			return err
		}
		first += len(all)
	}
	sum := sha256.Sum256(content)
	labels := map[string]string{}
	for _, l := range r.Labels {
		labels[l.Name] = l.Value
	}
	return s.insert(ctx, "recordings", "(tenant, service, labels, start, id, duration, about, size, sum)",
		recordingToken("recordings", k, id, 0), 1, func(to driver.Batch, _ int) error {
			return to.Append(k.Tenant, k.Service, labels, r.Start.UTC(), id[:], int64(r.Duration), r.About, r.Size, sum[:])
		})
}

// recordingToken identifies an insert. After a recording was deleted, it may be inserted again, so its token
// must not be one that the server remembers: a token is for one call, whose tries it makes one.
func recordingToken(table string, k symbols.Scope, id store.ID, first int) *cluster.Token {
	t := cluster.NewToken(table)
	t.Add(k, uint64(time.Now().UnixNano()), uint32(first)) //nolint:gosec // only to tell tokens apart
	t.Text(string(id[:]))
	return t
}

// trimRecordings deletes the oldest recordings of a service that has more bytes of them than allowed.
func (s *Store) trimRecordings(ctx context.Context, k symbols.Scope) error {
	where := "tenant=" + sql.Text(k.Tenant) + " AND service=" + sql.Text(k.Service)
	old, all := []string{}, int64(0)
	err := s.recordings(ctx, where, func(r *recordingRow) {
		if all += r.Size; all > s.o.Limits.Recordings {
			old = append(old, fixed(r.ID))
		}
	})
	for _, c := range []struct{ table, column string }{{"recordings", "id"}, {"parts", "recording"}} {
		if err == nil && len(old) > 0 {
			err = s.change(ctx, "DELETE FROM "+s.schema.Stored(c.table)+s.schema.On()+" WHERE "+where+" AND "+c.column+" IN ("+
				strings.Join(old, ",")+")")
		}
	}
	return err
}

const recordingColumns = "SELECT tenant, id, service, labels, start, duration, about, size, sum " +
	"FROM recordings FINAL WHERE "

// recordingRow is a row of the table recordings.
type recordingRow struct {
	store.Recording
	tenant, sum string
}

func (r *recordingRow) scan(rows driver.Rows) error {
	var id string
	var labels map[string]string
	var duration int64
	err := rows.Scan(&r.tenant, &id, &r.Service, &labels, &r.Start, &duration, &r.About, &r.Size, &r.sum)
	copy(r.ID[:], id)
	r.Labels, r.Start, r.Duration = store.NewLabels(labels), r.Start.UTC(), time.Duration(duration)
	return err
}

// recordings calls each for the recordings of a condition, newest first.
func (s *Store) recordings(ctx context.Context, where string, each func(*recordingRow)) error {
	return s.query(ctx, recordingColumns+where+" ORDER BY start DESC, id DESC", nil, func(rows driver.Rows) error {
		var r recordingRow
		err := r.scan(rows)
		if err == nil {
			each(&r)
		}
		return err
	})
}

// Recordings implements store.RecordingStore.
func (s *Store) Recordings(ctx context.Context, q store.Query, limit int) ([]store.Recording, error) {
	if err := store.CheckTenant(q.Tenant); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = defaultProfiles
	}
	where := "tenant=" + sql.Text(q.Tenant)
	if !q.From.IsZero() {
		where += " AND start>=" + sql.Time(q.From)
	}
	if !q.To.IsZero() {
		where += " AND start<" + sql.Time(q.To)
	}
	out := []store.Recording{}
	err := s.view(ctx, "query", func() error {
		return s.recordings(ctx, where, func(r *recordingRow) {
			if len(out) < limit && q.Matches(r.Service, store.RecordingKind, r.Labels) {
				out = append(out, r.Recording)
			}
		})
	})
	return out, err
}

// ReadRecording implements store.RecordingStore.
func (s *Store) ReadRecording(
	ctx context.Context, tenant string, id store.ID, found func(store.Recording), w io.Writer,
) (store.Recording, error) {
	var r recordingRow
	if err := store.CheckTenant(tenant); err != nil {
		return r.Recording, err
	}
	err := s.view(ctx, "query", func() error {
		return s.recordings(ctx, "tenant="+sql.Text(tenant)+" AND id="+fixed(id), func(x *recordingRow) { r = *x })
	})
	switch {
	case err != nil:
		return r.Recording, err
	case r.ID != id:
		return r.Recording, store.ErrNotFound
	case found != nil:
		found(r.Recording)
	}
	return r.Recording, s.explain(ctx, "query", s.copyRecording(ctx, &r, w))
}

// copyRecording writes a file, a part at a time.
func (s *Store) copyRecording(ctx context.Context, r *recordingRow, w io.Writer) error {
	return parts.Copy(w, r.Size, []byte(r.sum), func(n int) (data []byte, err error) {
		err = s.query(ctx, fmt.Sprintf("SELECT data FROM parts WHERE tenant=%s AND service=%s AND recording=%s AND number=%d",
			sql.Text(r.tenant), sql.Text(r.Service), fixed(r.ID), n), nil,
			func(rows driver.Rows) error { return rows.Scan(&data) })
		return data, err
	})
}

// fixed returns an ID as a literal.
func fixed(id store.ID) string { return "toFixedString(" + sql.Text(string(id[:])) + ", 16)" }

// checkRecordings reads all recordings.
func (s *Store) checkRecordings(ctx context.Context, report *store.CheckReport) error {
	var all []recordingRow
	err := s.recordings(ctx, "1", func(r *recordingRow) { all = append(all, *r) })
	for i := range all {
		r := &all[i]
		if err := s.copyRecording(ctx, r, io.Discard); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			report.Add("recording "+r.ID.String()+" of "+store.OfService(r.tenant, r.Service), err)
		}
		report.Recordings++
	}
	return err
}
