package leasefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite" // also the driver
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/store"
)

// name is the database of leases. It is separate from that of the store, so that any number of processes
// write to it.
const name = "leases.db"

const schema = `
CREATE TABLE IF NOT EXISTS held(
	tenant TEXT NOT NULL, name TEXT NOT NULL, member TEXT NOT NULL, ends INTEGER NOT NULL, ttl INTEGER NOT NULL,
	document BLOB, PRIMARY KEY(tenant, name, member)) WITHOUT ROWID;
`

// A File has the leases in a directory. Any number of processes on one machine may have one of the same
// directory. It implements store.LeaseStore; leases end by the machine's clock. If that is set back, none
// lasts longer than when it began.
type File struct {
	dir string
	now func() time.Time

	mu sync.Mutex
	db *sql.DB // nil until the first call
}

// New returns the leases in a directory, in which the first call that writes creates a file. A nil now is
// time.Now.
func New(dir string, now func() time.Time) *File {
	if now == nil {
		now = time.Now
	}
	return &File{dir: dir, now: now}
}

// Close closes the file.
func (l *File) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.db == nil {
		return nil
	}
	db := l.db
	l.db = nil
	return db.Close()
}

// patience is how long a lock of the file is waited for.
const patience = 10 * time.Second

// isBusy reports whether an error is that of a locked file.
func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// open returns the database.
func (l *File) open(ctx context.Context) (*sql.DB, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.db != nil {
		return l.db, nil
	}
	if err := os.MkdirAll(l.dir, 0o750); err != nil {
		return nil, err
	}
	q := url.Values{"_txlock": {"immediate"}}
	wait := fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds())
	for _, p := range []string{wait, "journal_mode(WAL)", "synchronous(NORMAL)"} {
		q.Add("_pragma", p)
	}
	file := url.URL{
		Scheme: "file", Opaque: url.PathEscape(filepath.ToSlash(filepath.Join(l.dir, name))), RawQuery: q.Encode(),
	}
	db, err := sql.Open("sqlite", file.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	for began := time.Now(); ; {
		// While another process opens a new file, SQLite does not wait.
		_, err := db.ExecContext(ctx, schema)
		if err == nil {
			break
		}
		if !isBusy(err) || time.Since(began) > patience {
			return nil, errors.Join(err, db.Close())
		}
		time.Sleep(10 * time.Millisecond)
	}
	l.db = db
	return db, nil
}

// transact runs work as one transaction, after those of other processes.
func (l *File) transact(ctx context.Context, work func(*sql.Tx) error) error {
	err := func() error {
		db, err := l.open(ctx)
		if err != nil {
			return err
		}
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // after Commit it does nothing
		if err := work(tx); err != nil {
			return err
		}
		return tx.Commit()
	}()
	if err != nil && ctx.Err() == nil {
		return &diag.Error{Op: "leases", Subject: l.dir, Err: err}
	}
	return err
}

// Renew implements store.LeaseStore.
func (l *File) Renew(
	ctx context.Context, tenant, group, member string, ttl time.Duration,
) (all []store.Lease, err error) {
	if err := store.CheckLease(tenant, group, member); err != nil {
		return nil, err
	}
	err = l.transact(ctx, func(tx *sql.Tx) error {
		now := l.now()
		_, err := tx.ExecContext(ctx, `INSERT INTO held(tenant, name, member, ends, ttl) VALUES(?,?,?,?,?)
			ON CONFLICT DO UPDATE SET ends=excluded.ends, ttl=excluded.ttl`, tenant, group, member, now.Add(ttl).UnixNano(),
			int64(ttl))
		if err != nil {
			return err
		}
		// Those that would end later than if they began now are from before the clock was set back.
		_, err = tx.ExecContext(ctx, "UPDATE held SET ends=?1+ttl WHERE ends>?1+ttl", now.UnixNano())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM held WHERE ends<?", now.Add(-store.LeaseMemory).UnixNano())
		if err != nil {
			return err
		}
		all, err = l.read(ctx, tx, now,
			"SELECT name, member, ends, NULL FROM held WHERE tenant=? AND name=? ORDER BY member", tenant, group)
		return err
	})
	return all, err
}

// read returns the rows of a query.
func (l *File) read(
	ctx context.Context, tx *sql.Tx, now time.Time, query string, args ...any,
) (all []store.Lease, err error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	for rows.Next() {
		var one store.Lease
		var ends int64
		if err := rows.Scan(&one.Group, &one.Member, &ends, &one.Document); err != nil {
			return nil, err
		}
		one.Left = time.Unix(0, ends).Sub(now)
		all = append(all, one)
	}
	return all, rows.Err()
}

// Release implements store.LeaseStore.
func (l *File) Release(ctx context.Context, tenant, group, member string) error {
	if err := store.CheckLease(tenant, group, member); err != nil {
		return err
	}
	return l.transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM held WHERE tenant=? AND name=? AND member=?", tenant, group, member)
		return err
	})
}

// Publish implements store.LeaseStore.
func (l *File) Publish(ctx context.Context, tenant, group, member string, document []byte) error {
	if err := store.CheckLease(tenant, group, member); err != nil {
		return err
	}
	if err := store.CheckLeaseDocument(document); err != nil {
		return err
	}
	return l.transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE held SET document=? WHERE tenant=? AND name=? AND member=?", document, tenant,
			group, member)
		return err
	})
}

// Leases implements store.LeaseStore.
func (l *File) Leases(ctx context.Context, tenant string) (all []store.Lease, err error) {
	if err := store.CheckTenant(tenant); err != nil {
		return nil, &store.InvalidError{Err: err}
	}
	if _, err := os.Stat(filepath.Join(l.dir, name)); errors.Is(err, os.ErrNotExist) {
		return nil, nil // reading creates nothing
	}
	err = l.transact(ctx, func(tx *sql.Tx) error {
		all, err = l.read(ctx, tx, l.now(),
			"SELECT name, member, ends, document FROM held WHERE tenant=? ORDER BY name, member", tenant)
		return err
	})
	return all, err
}
