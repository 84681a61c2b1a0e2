package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/leasefile"
	"github.com/whet-go/whet/internal/store/parts"
	"github.com/whet-go/whet/store"
)

// Format is the version of the schema and the packed columns that this package writes. A store of
// a newer format is not opened.
const Format = 2

// applicationID marks the database as a store, in its header.
const applicationID = 0x77686574 // "whet"

const (
	databaseName = "store.db"
	lockName     = "lock.db"
)

const schema = `
CREATE TABLE series(
	id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, service TEXT NOT NULL, kind TEXT NOT NULL,
	labels BLOB NOT NULL, UNIQUE(tenant, service, kind, labels));
CREATE TABLE dictionary(
	id INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, service TEXT NOT NULL, created INTEGER NOT NULL,
	open INTEGER NOT NULL);
CREATE INDEX dictionary_open ON dictionary(tenant, service) WHERE open;
CREATE TABLE chunk(
	id INTEGER PRIMARY KEY, dictionary INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
	data BLOB NOT NULL);
CREATE UNIQUE INDEX chunk_first ON chunk(dictionary, first);
CREATE TABLE head(id INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB NOT NULL UNIQUE);
CREATE TABLE profile(
	id INTEGER PRIMARY KEY, series INTEGER NOT NULL, head INTEGER NOT NULL, dictionary INTEGER NOT NULL,
	start INTEGER NOT NULL, duration INTEGER NOT NULL, samples INTEGER NOT NULL, hash BLOB NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX profile_hash ON profile(hash, series);
CREATE INDEX profile_time ON profile(series, start);
CREATE INDEX profile_start ON profile(start);
CREATE INDEX profile_dictionary ON profile(dictionary);
CREATE TABLE result(
	id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, kind TEXT NOT NULL, service TEXT NOT NULL, revision TEXT NOT NULL,
	time INTEGER NOT NULL, hash BLOB NOT NULL, data BLOB NOT NULL, UNIQUE(tenant, hash));
CREATE INDEX result_time ON result(tenant, kind, time);
`

// recordingFormat is the format that added the tables of recordings.
const recordingFormat = 2

// Options configure Open. The zero Options open an existing store for reading and writing.
type Options struct {
	// Create makes the directory and the store if there is none.
	Create bool
	// ReadOnly allows queries only. Any number of processes may do so while another one writes.
	ReadOnly bool
	Limits   store.Limits
	// Retention is applied when the store is opened, and every minute while it is open.
	Retention store.Retention
	// Memory bounds the dictionaries that are being written, in bytes; 0: 96 MiB. Those that only queries
	// use take a third of it.
	Memory int64
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Warn is called with errors of maintenance, from another goroutine; nil ignores them.
	Warn func(error)
}

// leases are those of processes that share targets. They are in a file that other processes write, too.
type leases = leasefile.File

// A Store is an open store; see Open.
type Store struct {
	dir  string
	o    Options
	read *sql.DB // for queries
	data *sql.DB // for the writer: one connection; nil if read-only
	lock *sql.Conn
	// format is that of the database; a store that is written has the newest.
	format int
	cache

	encoder *zstd.Encoder
	fast    *zstd.Encoder // for what is joined soon
	decoder *zstd.Decoder
	bucket  *store.Bucket
	*leases

	requests chan *request
	closing  chan struct{}
	close    sync.Once
	done     chan struct{} // closed when the writer has ended
}

// Open opens the store in a directory. Only one process at a time may open it for writing.
func Open(dir string, o Options) (_ *Store, err error) {
	defer func() {
		if e := (*diag.Error)(nil); err != nil && !errors.As(err, &e) {
			err = &diag.Error{Op: "open store", Subject: dir, Err: plain(err)}
		}
	}()
	o.Limits = o.Limits.WithDefaults()
	if o.Memory == 0 {
		o.Memory = 96 << 20
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	s := &Store{
		dir: dir, o: o, format: Format, bucket: store.NewBucket(o.Limits), cache: newCache(o.Memory / 3),
		leases:   leasefile.New(dir, o.Now),
		requests: make(chan *request), closing: make(chan struct{}), done: make(chan struct{}),
	}
	if err := store.CheckDirectory(dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(s.path()); err != nil {
		switch {
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case o.ReadOnly || !o.Create:
			return nil, &diag.Error{
				Op: "open store", Subject: dir, Err: errors.New("there is no store"),
				Hint: "`whet push --store DIR` and `whet serve --store DIR` make one",
			}
		}
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return nil, err
		}
	}
	// The encoder keeps two windows in memory; what it compresses is rarely larger than one.
	s.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	s.fast, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	s.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxUnpacked))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.closeFiles())
		}
	}()
	ctx := context.Background()
	if !o.ReadOnly {
		if err := s.openWriter(ctx); err != nil {
			return nil, err
		}
	}
	if s.read, err = open(s.path(), "query_only(1)"); err != nil {
		return nil, err
	}
	s.read.SetMaxOpenConns(4)
	if o.ReadOnly {
		if s.format, err = checkFormat(ctx, s.read, dir); err != nil {
			return nil, err
		}
		close(s.done)
		return s, nil
	}
	w, err := newWriter(ctx, s)
	if err != nil {
		return nil, err
	}
	go w.run()
	return s, nil
}

// maxUnpacked bounds what packed columns expand to, in bytes.
const maxUnpacked = 1 << 30

func (s *Store) path() string { return filepath.Join(s.dir, databaseName) }

// openWriter takes the lock and creates the schema.
func (s *Store) openWriter(ctx context.Context) error {
	var err error
	if s.lock, err = takeLock(ctx, filepath.Join(s.dir, lockName)); err != nil {
		if code(err) != sqlite3.SQLITE_BUSY {
			return err
		}
		return &diag.Error{
			Op: "open store", Subject: s.dir, Err: errors.New("another process writes to it"),
			Hint: "send profiles to the address of that whet serve, or stop it",
		}
	}
	s.data, err = open(s.path(), "auto_vacuum(INCREMENTAL)", "synchronous(FULL)", "journal_size_limit(67108864)")
	if err != nil {
		return err
	}
	s.data.SetMaxOpenConns(1)
	var tables int
	if err := s.data.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	text := schema + parts.Schema
	if tables > 0 {
		format, err := checkFormat(ctx, s.data, s.dir)
		if err != nil || format == Format {
			return err
		}
		text = parts.Schema
	}
	tx, err := s.data.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	marks := fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, Format)
	_, err = tx.ExecContext(ctx, text+marks)
	if err != nil {
		return err
	}
	return tx.Commit()
}

// takeLock locks a database until the connection is closed or the process ends, however it does.
func takeLock(ctx context.Context, path string) (*sql.Conn, error) {
	db, err := open(path, "busy_timeout(0)", "journal_mode(DELETE)")
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err == nil {
		if _, err = conn.ExecContext(ctx, "BEGIN EXCLUSIVE"); err != nil {
			_ = conn.Close()
		}
	}
	// A database that is closed keeps the connections in use until they are closed, too.
	if closed := db.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// open opens a database with these settings for each connection.
func open(path string, pragmas ...string) (*sql.DB, error) {
	q := url.Values{"_txlock": {"immediate"}}
	for _, p := range pragmas {
		q.Add("_pragma", p)
		if p == "query_only(1)" {
			q.Set("_txlock", "deferred")
		}
	}
	if filepath.Base(path) != lockName {
		q.Add("_pragma", "busy_timeout(10000)")
		q.Add("_pragma", "journal_mode(WAL)")
	}
	name := url.URL{Scheme: "file", Opaque: url.PathEscape(filepath.ToSlash(path)), RawQuery: q.Encode()}
	return sql.Open("sqlite", name.String())
}

// checkFormat returns the format of a database, or an error if it is not a store, or of a newer format.
func checkFormat(ctx context.Context, db *sql.DB, name string) (format int, err error) {
	var id int
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return 0, err
	}
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&format); err != nil {
		return 0, err
	}
	switch {
	case id != applicationID:
		return 0, &diag.Error{
			Op: "open store", Subject: name, Err: fmt.Errorf("%s is not a store of whet", databaseName),
			Hint: "name the directory that `whet serve --store` made",
		}
	case format > Format:
		return 0, &diag.Error{
			Op: "open store", Subject: name, Err: fmt.Errorf("it has format %d; this whet reads format %d", format, Format),
			Hint: "use a newer whet",
		}
	}
	return format, nil
}

// code returns the primary result code of SQLite in an error, 0 if there is none.
func code(err error) int {
	if e := (*sqlite.Error)(nil); errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// plain turns errors of SQLite into ones with a hint.
func plain(err error) error {
	switch code(err) {
	case sqlite3.SQLITE_FULL:
		return &diag.Error{
			Op: "store", Err: errors.New("the disk is full; nothing of this batch was stored"),
			Hint: "free space, or limit the store with --retention or --max-store-size",
		}
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return &diag.Error{
			Op: "store", Err: fmt.Errorf("the database is damaged: %w", err),
			Hint: "`whet store check` lists what is damaged; `whet store restore` brings back a backup",
		}
	}
	return err
}

// Close ends the writer after the batches that it has taken, closes the store, and frees its memory, even
// if the Store itself is kept.
func (s *Store) Close() error {
	s.close.Do(func() { close(s.closing) })
	<-s.done
	s.forget()
	return s.closeFiles()
}

func (s *Store) closeFiles() error {
	var errs []error
	for _, db := range []*sql.DB{s.read, s.data} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	errs = append(errs, s.leases.Close())
	if s.lock != nil {
		if err := s.lock.Close(); !errors.Is(err, sql.ErrConnDone) { // closed twice
			errs = append(errs, err)
		}
	}
	if s.decoder != nil {
		s.decoder.Close()
	}
	return errors.Join(errs...)
}
