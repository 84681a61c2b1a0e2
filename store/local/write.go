package local

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// ErrClosed is returned by operations on a closed store.
var ErrClosed = errors.New("the store is closed")

// errReadOnly is returned by operations that write.
var errReadOnly = errors.New("the store was opened for reading")

// request is work for the writer: a batch, or anything else that needs the store for itself.
type request struct {
	ctx      context.Context
	tenant   string
	profiles []store.Profile
	ids      []store.ID
	alone    func(context.Context, *writer) error // instead of a batch

	err  error
	done chan struct{}
}

// Write implements store.Writer.
func (s *Store) Write(ctx context.Context, tenant string, profiles []store.Profile) error {
	if err := store.CheckTenant(tenant); err != nil {
		return &store.InvalidError{Err: err}
	}
	if err := s.o.Limits.Check(profiles); err != nil {
		return err
	}
	if err := s.bucket.Take(tenant, len(profiles), s.o.Now()); err != nil {
		return err
	}
	if len(profiles) == 0 {
		return nil
	}
	r := &request{tenant: tenant, profiles: profiles}
	for i := range profiles {
		r.ids = append(r.ids, store.NewID(&profiles[i]))
	}
	return s.do(ctx, r)
}

// do hands a request to the writer and waits for it.
func (s *Store) do(ctx context.Context, r *request) error {
	if s.o.ReadOnly {
		return &diag.Error{Op: "write to store", Subject: s.dir, Err: errReadOnly}
	}
	r.ctx, r.done = ctx, make(chan struct{})
	select {
	case <-s.closing:
		return ErrClosed
	default:
	}
	select {
	case s.requests <- r:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return ErrClosed
	}
	<-r.done // the writer does not stop in the middle, so that the answer is true
	return plain(r.err)
}

// writer is the goroutine that alone changes the database.
type writer struct {
	s      *Store
	conn   *sql.Conn
	series map[string]map[string]int64 // by tenant, by key
	heads  map[string]int64            // by content
	open   map[scope]*dictionary
	// changed has the dictionaries that the last transaction used.
	changed map[int64]*dictionary

	added int64 // bytes since dictionaries were closed because of the size of the store
}

// scope is what a dictionary belongs to.
type scope struct{ tenant, service string }

// dictionary is an open dictionary.
type dictionary struct {
	id      int64
	created time.Time
	d       *profile.Dictionary
	stored  profile.Counts // what is in chunks
	small   int            // number of chunks after the last joined one
	closed  bool           // another one has its place
}

// Limits of a transaction: batches that wait are committed together.
const (
	maxTogether = 64       // batches
	maxProfiles = 2000     // after which no other batch is added
	maxSmall    = 64       // chunks, after which they are joined
	maxDict     = 48 << 20 // bytes of memory, after which a dictionary is closed
	maxOpen     = 7 * 24 * time.Hour
	minOpen     = time.Hour
)

func newWriter(ctx context.Context, s *Store) (*writer, error) {
	w := &writer{s: s}
	var err error
	if w.conn, err = s.data.Conn(ctx); err != nil {
		return nil, err
	}
	return w, w.reset(ctx)
}

// reset reads what the writer has in memory from the database.
func (w *writer) reset(ctx context.Context) error {
	w.s.forget()
	w.open, w.heads, w.series = map[scope]*dictionary{}, map[string]int64{}, map[string]map[string]int64{}
	rows, err := w.conn.QueryContext(ctx, "SELECT id, tenant, service, kind, labels FROM series")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	for rows.Next() {
		var id int64
		var tenant, service, kind string
		var labels []byte
		if err := rows.Scan(&id, &tenant, &service, &kind, &labels); err != nil {
			return err
		}
		w.seriesOf(tenant)[seriesKey(service, kind, labels)] = id
	}
	return rows.Err()
}

func (w *writer) seriesOf(tenant string) map[string]int64 {
	if w.series[tenant] == nil {
		w.series[tenant] = map[string]int64{}
	}
	return w.series[tenant]
}

func seriesKey(service, kind string, labels []byte) string {
	return string(append(packed.AppendText(packed.AppendText(nil, service), kind), labels...))
}

// packLabels returns labels as the database has them: equal ones are equal bytes.
func packLabels(ls store.Labels) []byte {
	b := []byte{}
	for _, l := range ls {
		b = packed.AppendText(packed.AppendText(b, l.Name), l.Value)
	}
	return b
}

func readLabels(b []byte) (store.Labels, error) {
	d := &packed.Decoder{B: b}
	ls := store.Labels{}
	for len(d.B) > 0 {
		ls = append(ls, store.Label{Name: d.Text(), Value: d.Text()})
	}
	return ls, d.Err
}

// run serves requests until the store is closed.
func (w *writer) run() {
	defer close(w.s.done)
	defer func() { _ = w.conn.Close() }() // the database is closed next
	ctx := context.Background()
	maintain := func() {
		if err := w.maintain(ctx); err != nil {
			w.s.o.Warn(fmt.Errorf("maintain the store: %w", plain(err)))
		}
	}
	maintain()
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-w.s.closing:
			return
		case <-tick.C:
			maintain()
		case r := <-w.s.requests:
			w.serve(ctx, r)
		}
	}
}

// serve does a request, and the batches that wait, in one transaction.
func (w *writer) serve(ctx context.Context, r *request) {
	if r.alone != nil {
		r.err = r.alone(r.ctx, w)
		close(r.done)
		return
	}
	all, profiles := []*request{r}, len(r.profiles)
	var alone *request
	for more := true; more && len(all) < maxTogether && profiles < maxProfiles && alone == nil; {
		select {
		case next := <-w.s.requests:
			if next.alone != nil {
				alone = next
				break
			}
			all, profiles = append(all, next), profiles+len(next.profiles)
		default:
			more = false
		}
	}
	if err := w.transact(ctx, func(tx *sql.Tx) error { return w.batches(ctx, tx, all) }); err != nil {
		for _, r := range all {
			r.err = err
		}
	} else {
		for _, d := range w.changed { // now that its numbers are final
			if d.closed {
				w.s.drop(d.id)
			} else {
				w.s.publish(d.id, d.d)
			}
		}
		w.shrink()
	}
	for _, r := range all {
		close(r.done)
	}
	if alone != nil {
		w.serve(ctx, alone)
	}
}

// transact runs a transaction. If it fails, nothing of it remains, in memory either.
func (w *writer) transact(ctx context.Context, work func(*sql.Tx) error) (err error) {
	tx, err := w.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err = work(tx); err == nil {
		err = tx.Commit()
	}
	if err == nil {
		return nil
	}
	_ = tx.Rollback() // SQLite may have done so; err says why
	return errors.Join(err, w.reset(ctx))
}

// batches stores batches. A batch that cannot be stored has its err set; an error returned is one of
// the database.
func (w *writer) batches(ctx context.Context, tx *sql.Tx, all []*request) error {
	b, err := newBatch(ctx, w, tx)
	if err != nil {
		return err
	}
	defer b.close()
	for _, r := range all {
		if r.err = r.ctx.Err(); r.err != nil {
			continue
		}
		if r.err = w.checkSeries(r); r.err != nil {
			continue
		}
		for i := range r.profiles {
			if err := b.add(ctx, r.tenant, &r.profiles[i], r.ids[i]); err != nil {
				return err
			}
		}
	}
	if err := b.chunks(ctx); err != nil {
		return err
	}
	w.changed = b.changed
	return nil
}

// checkSeries returns a *store.LimitError if a batch has too many new series.
func (w *writer) checkSeries(r *request) error {
	known, limit := w.seriesOf(r.tenant), w.s.o.Limits.Series
	fresh := map[string]bool{}
	for i := range r.profiles {
		p := &r.profiles[i]
		key := seriesKey(p.Service, p.Kind, packLabels(p.Labels))
		if _, ok := known[key]; !ok {
			fresh[key] = true
		}
	}
	if n := len(known) + len(fresh); len(fresh) > 0 && n > limit {
		return &store.LimitError{
			What: "series: combinations of service, kind and labels", Got: int64(n), Limit: int64(limit),
			RetryAfter: 15 * time.Minute, Flag: store.SeriesFlag,
		}
	}
	return nil
}

// shrink forgets dictionaries above the limit of memory, in the cache, too, which has the same ones. Chance decides
// which: services send in turn, so that the one that was used least recently would be the next one.
func (w *writer) shrink() {
	size := int64(0)
	for _, d := range w.open {
		size += d.d.Memory()
	}
	for k, d := range w.open { // in an order that differs each time
		if size <= w.s.o.Memory {
			return
		}
		if w.changed[d.id] == nil {
			size -= d.d.Memory()
			delete(w.open, k)
			w.s.drop(d.id)
		}
	}
}

// batch is a transaction that stores profiles.
type batch struct {
	w                              *writer
	tx                             *sql.Tx
	exists, insert, series, headOf *sql.Stmt
	changed                        map[int64]*dictionary
	columns                        columns
	order                          []int
	packed, data                   []byte
}

func newBatch(ctx context.Context, w *writer, tx *sql.Tx) (*batch, error) {
	b := &batch{w: w, tx: tx, changed: map[int64]*dictionary{}}
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&b.exists, "SELECT count(*) FROM profile WHERE hash=? AND series=?"},
		{&b.insert, `INSERT INTO profile(series, head, dictionary, start, duration, samples, hash, data)
			VALUES(?,?,?,?,?,?,?,?)`},
		{&b.series, "INSERT INTO series(tenant, service, kind, labels) VALUES(?,?,?,?)"},
		{&b.headOf, "INSERT INTO head(data) VALUES(?) ON CONFLICT(data) DO UPDATE SET data=data RETURNING id"},
	} {
		var err error
		if *p.stmt, err = tx.PrepareContext(ctx, p.text); err != nil {
			b.close()
			return nil, err
		}
	}
	return b, nil
}

func (b *batch) close() {
	for _, stmt := range []*sql.Stmt{b.exists, b.insert, b.series, b.headOf} {
		if stmt != nil {
			_ = stmt.Close() // the transaction's end is what counts
		}
	}
}

// add stores a profile, unless it is there.
func (b *batch) add(ctx context.Context, tenant string, p *store.Profile, id store.ID) error {
	w := b.w
	labels := packLabels(p.Labels)
	key := seriesKey(p.Service, p.Kind, labels)
	series, ok := w.seriesOf(tenant)[key]
	if !ok {
		r, err := b.series.ExecContext(ctx, tenant, p.Service, p.Kind, labels)
		if err != nil {
			return err
		}
		if series, err = r.LastInsertId(); err != nil {
			return err
		}
		w.seriesOf(tenant)[key] = series
	}
	var n int
	if err := b.exists.QueryRowContext(ctx, id[:], series).Scan(&n); err != nil || n > 0 {
		return err
	}
	b.data = packed.AppendHead(b.data[:0], p.Data)
	head, ok := w.heads[string(b.data)]
	if !ok {
		if err := b.headOf.QueryRowContext(ctx, b.data).Scan(&head); err != nil {
			return err
		}
		if len(w.heads) > 1000 {
			clear(w.heads)
		}
		w.heads[string(b.data)] = head
	}
	d, err := w.dictionary(ctx, b.tx, scope{tenant, p.Service})
	if err != nil {
		return err
	}
	b.changed[d.id] = d
	b.pack(d.d, p.Data)
	w.added += int64(len(b.packed))
	_, err = b.insert.ExecContext(ctx, series, head, d.id, p.Start.UnixNano(), int64(p.Duration), p.Data.NumSamples(),
		id[:], b.packed)
	return err
}

// pack sets b.packed to the compressed columns of a profile.
func (b *batch) pack(d *profile.Dictionary, p *profile.Profile) {
	stacks := d.Add(p)
	c := &b.columns
	n := len(stacks)
	b.order = grow(b.order, n)
	for i := range b.order {
		b.order[i] = i
	}
	slices.SortStableFunc(b.order, func(x, y int) int { return cmp.Compare(stacks[x], stacks[y]) })
	c.main, c.comments = 0, p.Comments
	if main := d.MainMapping(p); main != profile.None {
		c.main = main + 1
	}
	c.stacks, c.sets, c.labels = grow(c.stacks, n), c.sets[:0], c.labels[:0]
	for i, from := range b.order {
		c.stacks[i] = stacks[from]
	}
	if p.HasLabels() {
		known := map[string]uint32{}
		c.labels = grow(c.labels, n)
		var key []byte
		for i, from := range b.order {
			set := p.Labels(from)
			if c.labels[i] = 0; len(set) == 0 {
				continue
			}
			key = key[:0]
			for _, l := range set {
				key = packed.AppendText(packed.AppendText(packed.AppendText(key, l.Key), l.Str), l.Unit)
				key = binary.AppendVarint(key, l.Num)
			}
			at := known[string(key)]
			if at == 0 {
				c.sets = append(c.sets, set)
				at = uint32(len(c.sets))
				known[string(key)] = at
			}
			c.labels[i] = at
		}
	}
	for len(c.values) < len(p.SampleTypes) {
		c.values = append(c.values, nil)
	}
	c.values = c.values[:len(p.SampleTypes)]
	for t := range c.values {
		c.values[t] = grow(c.values[t], n)
		for i, from := range b.order {
			c.values[t][i] = p.Value(from, t)
		}
	}
	b.data = c.append(b.data[:0])
	b.packed = b.w.s.encoder.EncodeAll(b.data, b.packed[:0])
}

// dictionary returns the open dictionary of a scope, with all that is stored of it in memory.
func (w *writer) dictionary(ctx context.Context, tx *sql.Tx, k scope) (*dictionary, error) {
	d := w.open[k]
	if d == nil {
		d = &dictionary{d: profile.NewDictionary()}
		var created int64
		err := tx.QueryRowContext(ctx, "SELECT id, created FROM dictionary WHERE tenant=? AND service=? AND open", k.tenant,
			k.service).Scan(&d.id, &created)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return w.newDictionary(ctx, tx, k)
		case err != nil:
			return nil, err
		}
		d.created = time.Unix(0, created)
		if err := w.s.extend(ctx, tx, d.id, d.d); err != nil {
			if !errors.Is(err, packed.ErrDamaged) {
				return nil, err
			}
			// What is damaged stays for `whet store check`; new profiles do not depend on it.
			w.s.o.Warn(fmt.Errorf("dictionary %d of service %s: %w; using a new one", d.id, k.service, err))
			return w.replace(ctx, tx, k, d.id)
		}
		d.stored = d.d.Counts()
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM chunk WHERE dictionary=?", d.id).Scan(&d.small); err != nil {
			return nil, err
		}
		w.open[k] = d
	}
	if d.d.Memory() > maxDict || w.s.o.Now().Sub(d.created) > w.openFor() {
		if err := w.storeChunk(ctx, tx, d); err != nil {
			return nil, err
		}
		return w.replace(ctx, tx, k, d.id)
	}
	return d, nil
}

// openFor returns how long a dictionary gets new entries. It is a fraction of what is kept, because
// all of it goes with its last profile.
func (w *writer) openFor() time.Duration {
	if age := w.s.o.Retention.Age; age > 0 {
		return min(max(age/8, minOpen), maxOpen)
	}
	return maxOpen
}

// replace closes a dictionary and opens another one.
func (w *writer) replace(ctx context.Context, tx *sql.Tx, k scope, id int64) (*dictionary, error) {
	if d := w.open[k]; d != nil {
		d.closed = true
		w.s.drop(id)
	}
	if _, err := tx.ExecContext(ctx, "UPDATE dictionary SET open=0 WHERE id=?", id); err != nil {
		return nil, err
	}
	return w.newDictionary(ctx, tx, k)
}

func (w *writer) newDictionary(ctx context.Context, tx *sql.Tx, k scope) (*dictionary, error) {
	d := &dictionary{d: profile.NewDictionary(), created: w.s.o.Now()}
	r, err := tx.ExecContext(ctx, "INSERT INTO dictionary(tenant, service, created, open) VALUES(?,?,?,1)", k.tenant,
		k.service, d.created.UnixNano())
	if err != nil {
		return nil, err
	}
	if d.id, err = r.LastInsertId(); err != nil {
		return nil, err
	}
	w.open[k] = d
	return d, nil
}

// chunks stores what dictionaries gained in this transaction.
func (b *batch) chunks(ctx context.Context) error {
	for _, d := range b.changed {
		if err := b.w.storeChunk(ctx, b.tx, d); err != nil {
			return err
		}
		if d.small >= maxSmall {
			if err := b.w.join(ctx, b.tx, d.id, d.small); err != nil {
				return err
			}
			d.small = 0
		}
	}
	return nil
}

const insertChunk = "INSERT INTO chunk(dictionary, first, last, data) VALUES(?,?,?,?)"

func (w *writer) storeChunk(ctx context.Context, tx *sql.Tx, d *dictionary) error {
	now := d.d.Counts()
	if now == d.stored {
		return nil
	}
	data := w.s.fast.EncodeAll(encodeChunk(d.d.Table(), d.stored), nil)
	_, err := tx.ExecContext(ctx, insertChunk, d.id, d.stored.Stacks, now.Stacks, data)
	if err != nil {
		return err
	}
	w.added += int64(len(data))
	d.stored = now
	d.small++
	return nil
}

// join makes one chunk of the last n of a dictionary.
func (w *writer) join(ctx context.Context, tx *sql.Tx, id int64, n int) error {
	chunks, first, last, err := w.lastChunks(ctx, tx, id, n)
	if err != nil {
		return err
	}
	data, err := joined(chunks)
	if err != nil {
		return fmt.Errorf("dictionary %d: %w", id, err)
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM chunk WHERE dictionary=? AND first>=?", id, first); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, insertChunk, id, first, last,
		w.s.encoder.EncodeAll(data, nil))
	return err
}

// lastChunks reads the last n chunks of a dictionary, in order.
func (w *writer) lastChunks(
	ctx context.Context, tx *sql.Tx, id int64, n int,
) (chunks [][]byte, first, last int64, err error) {
	const text = "SELECT first, last, data FROM chunk WHERE dictionary=? ORDER BY first DESC LIMIT ?"
	rows, err := tx.QueryContext(ctx, text, id, n)
	if err != nil {
		return nil, 0, 0, err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	for rows.Next() {
		var blob []byte
		var end int64
		if err := rows.Scan(&first, &end, &blob); err != nil {
			return nil, 0, 0, err
		}
		last = max(last, end)
		data, err := w.s.decoder.DecodeAll(blob, nil)
		if err != nil {
			return nil, 0, 0, fmt.Errorf("dictionary %d: %w: %w", id, packed.ErrDamaged, err)
		}
		chunks = append(chunks, data)
	}
	slices.Reverse(chunks)
	return chunks, first, last, rows.Err()
}
