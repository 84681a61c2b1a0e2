package local

import (
	"context"
	"database/sql"
	"errors"
	"io"

	"github.com/whet-go/whet/internal/store/parts"
	"github.com/whet-go/whet/store"
)

// hasRecordings reports whether the tables of recordings exist: a store that is only read may be older.
func (s *Store) hasRecordings() bool { return s.format >= recordingFormat }

// WriteRecording implements store.RecordingWriter.
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
	id = store.NewRecordingID(&r, content)
	err = s.alone(ctx, func(ctx context.Context, w *writer) error {
		err := w.transact(ctx, func(tx *sql.Tx) error { return parts.Insert(ctx, tx, tenant, id, &r, content) })
		if err != nil {
			return err
		}
		old, err := parts.Excess(ctx, w.conn, tenant, r.Service, s.o.Limits.Recordings)
		if err != nil {
			return err
		}
		return w.deleteRecordings(ctx, old)
	})
	return id, err
}

// deleteRecordings deletes recordings by their numbers, each in a transaction.
func (w *writer) deleteRecordings(ctx context.Context, numbers []int64) error {
	for _, n := range numbers {
		if err := w.transact(ctx, func(tx *sql.Tx) error { return parts.Delete(ctx, tx, n) }); err != nil {
			return err
		}
	}
	return nil
}

// Recordings implements store.RecordingStore.
func (s *Store) Recordings(ctx context.Context, q store.Query, limit int) ([]store.Recording, error) {
	if err := store.CheckTenant(q.Tenant); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = defaultProfiles
	}
	out := []store.Recording{}
	if !s.hasRecordings() {
		return out, nil
	}
	err := s.view(ctx, func(tx *sql.Tx) (err error) {
		out, err = parts.List(ctx, tx, &q, limit)
		return err
	})
	return out, err
}

// ReadRecording implements store.RecordingStore.
func (s *Store) ReadRecording(
	ctx context.Context, tenant string, id store.ID, found func(store.Recording), w io.Writer,
) (store.Recording, error) {
	if err := store.CheckTenant(tenant); err != nil {
		return store.Recording{}, err
	}
	if !s.hasRecordings() {
		return store.Recording{}, store.ErrNotFound
	}
	r, err := s.findRecording(ctx, "tenant=? AND hash=?", tenant, id[:])
	if err != nil {
		return r.Recording, err
	}
	if found != nil {
		found(r.Recording)
	}
	return r.Recording, s.copyRecording(ctx, &r, w)
}

func (s *Store) findRecording(ctx context.Context, condition string, args ...any) (r parts.Row, err error) {
	err = s.view(ctx, func(tx *sql.Tx) error {
		r, err = parts.Find(ctx, tx, condition, args...)
		return err
	})
	return r, err
}

// copyRecording writes a file. Each part is read by itself, so that a slow reader does not keep the log of
// the database.
func (s *Store) copyRecording(ctx context.Context, r *parts.Row, w io.Writer) error {
	return parts.Copy(w, r.Size, r.Sum, func(n int) (data []byte, err error) {
		err = s.view(ctx, func(tx *sql.Tx) error {
			data, err = r.Part(ctx, tx, n)
			return err
		})
		return data, err
	})
}

// checkRecordings reads all recordings.
func (s *Store) checkRecordings(ctx context.Context, report *store.CheckReport) error {
	if !s.hasRecordings() {
		return nil
	}
	numbers, err := parts.Numbers(ctx, s.read, "")
	if err != nil {
		report.Add("the table of recordings", err)
		return ctx.Err()
	}
	for _, n := range numbers {
		r, err := s.findRecording(ctx, "id=?", n)
		if errors.Is(err, store.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err == nil {
			err = s.copyRecording(ctx, &r, io.Discard)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			report.Add("recording "+r.ID.String()+" of "+store.OfService("", r.Service), err)
		}
		report.Recordings++
	}
	return nil
}
