package buffer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/tempfile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/unit"
)

// Defaults of Options.
const (
	DefaultSize = 1 << 30
	DefaultAge  = 3 * 24 * time.Hour
)

const (
	// maxFile is about how large a file becomes: a batch is decoded as a whole.
	maxFile = 8 << 20
	// block is what the smallest file takes of the disk.
	block = 4 << 10
	// dropsEvery is the time between two warnings about batches that were dropped.
	dropsEvery = time.Minute
	// awayFor is how long to wait for a directory that is not there.
	awayFor    = 5 * time.Second
	lockName   = "lock"
	tempSuffix = ".tmp"
)

// Options configure a Buffer.
type Options struct {
	Size int64         // of all files, in bytes; 0 means DefaultSize
	Age  time.Duration // of a batch; 0 means DefaultAge
	// Keep drops nothing: what does not fit is refused with a *FullError, and Age has no effect.
	Keep bool
	Now  func() time.Time
	// Warn is called with what was dropped, and how many; nil ignores it.
	Warn func(error)
}

// A Buffer is a directory of batches of profiles, and of recordings.
type Buffer struct {
	o    Options
	dir  string
	lock *os.File

	mu       sync.Mutex
	files    []*file // oldest first
	next     uint64
	size     int64 // of files
	counts   [2]int64
	dropped  [2]int64
	reported [2]int64 // of those dropped
	warned   time.Time
	added    [2]chan struct{} // has one entry if there may be something to send
}

// kind is what a file has, and the index of what is counted of it.
type kind int

const (
	profiles kind = iota
	recordings
)

// suffix returns that of the names of files.
func (k kind) suffix() string {
	if k == recordings {
		return "recording"
	}
	return "profiles"
}

// ErrInUse is in the error of Open if another process has the directory.
var ErrInUse = errors.New("another process uses it")

// A FullError reports that a buffer which keeps everything has no space for more.
type FullError struct {
	Size int64 // of the buffer, in bytes
}

// Error returns the limit.
func (e *FullError) Error() string {
	return fmt.Sprintf("the buffer is full (limit %s)", unit.Bytes(e.Size))
}

// A file is one batch, or a recording.
type file struct {
	kind  kind
	seq   uint64
	named int64 // how many profiles its name says
	added time.Time
	size  int64
	taken bool // it is being stored
	// tenant and of describe what is still to be stored, once the file has been written or read by this
	// process; of is nil before.
	tenant string
	of     []share
	count  int64 // of what is still to be stored
}

// A share is what a file has of a service.
type share struct {
	service string
	count   int64
}

func (f *file) name() string {
	return fmt.Sprintf("%016x-%d-%d.%s", f.seq, f.named, f.added.UnixMilli(), f.kind.suffix())
}

// describe sets of.
func (f *file) describe(tenant string, all []store.Profile) {
	f.tenant, f.of = tenant, []share{}
	for i := range all {
		at := slices.IndexFunc(f.of, func(s share) bool { return s.service == all[i].Service })
		if at < 0 {
			at = len(f.of)
			f.of = append(f.of, share{service: all[i].Service})
		}
		f.of[at].count++
	}
}

// has reports whether something of a service is still to be stored.
func (f *file) has(service string) bool {
	return slices.ContainsFunc(f.of, func(s share) bool { return s.service == service })
}

// A Held function reports whether what a buffer has of a service is not to be returned now, because the
// store does not take it. It must not call the buffer.
type Held func(tenant, service string) bool

// heldBack reports whether all of a file is held, as far as is known.
func (f *file) heldBack(held Held) bool {
	if held == nil || f.of == nil {
		return false
	}
	return !slices.ContainsFunc(f.of, func(s share) bool { return !held(f.tenant, s.service) })
}

// Open opens the buffer in a directory, which is created if needed. An error is returned if another
// process has it.
func Open(dir string, o Options) (*Buffer, error) {
	b := &Buffer{o: o, dir: dir, added: [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}}
	b.o.Size, b.o.Age = cmp.Or(o.Size, DefaultSize), cmp.Or(o.Age, DefaultAge)
	if b.o.Now == nil {
		b.o.Now = time.Now
	}
	if b.o.Warn == nil {
		b.o.Warn = func(error) {}
	}
	fail := func(err error, hint string) error {
		return &diag.Error{Op: "open buffer", Subject: dir, Err: err, Hint: hint}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fail(err, "name another directory with --buffer, or none")
	}
	l, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fail(err, "name another directory with --buffer, or none")
	}
	if err := tempfile.Lock(l); err != nil {
		_ = l.Close()
		return nil, fail(ErrInUse, "give each process its own --buffer")
	}
	b.lock = l
	if err := b.list(); err != nil {
		_ = l.Close()
		return nil, fail(err, "")
	}
	b.Wake()
	return b, nil
}

// Close releases the directory. Batches stay.
func (b *Buffer) Close() error {
	b.mu.Lock()
	b.report(true)
	b.mu.Unlock()
	return b.lock.Close()
}

// Dir returns the directory.
func (b *Buffer) Dir() string { return b.dir }

var fileName = regexp.MustCompile(`^([0-9a-f]{16})-(\d{1,9})-(\d{1,15})\.(profiles|recording)$`)

// list reads the directory, and removes what was being written when a process was killed.
func (b *Buffer) list() error {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == tempSuffix {
			if err := os.Remove(filepath.Join(b.dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		m := fileName.FindStringSubmatch(e.Name())
		info, err := e.Info()
		if m == nil || err != nil || !info.Mode().IsRegular() {
			continue // not of a buffer
		}
		seq, _ := strconv.ParseUint(m[1], 16, 64) // the pattern allows nothing else
		count, _ := strconv.ParseInt(m[2], 10, 64)
		ms, _ := strconv.ParseInt(m[3], 10, 64)
		f := &file{
			kind: profiles, seq: seq, named: count, count: count, added: time.UnixMilli(ms), size: onDisk(info.Size()),
		}
		if m[4] == recordings.suffix() {
			f.kind = recordings
		}
		b.files = append(b.files, f)
		b.size += f.size
		b.counts[f.kind] += f.count
	}
	slices.SortFunc(b.files, func(x, y *file) int { return cmp.Compare(x.seq, y.seq) })
	if len(b.files) > 0 {
		b.next = b.files[len(b.files)-1].seq + 1
	}
	return nil
}

// onDisk returns about what a file of some bytes takes of the disk.
func onDisk(size int64) int64 { return (size + block - 1) / block * block }

// Add appends profiles. When it returns nil, they survive a crash. On an error, some of them may be in
// the buffer; adding all again is harmless. Unless Keep is set, profiles may be dropped at once if they
// exceed the size of the buffer.
func (b *Buffer) Add(tenant string, all []store.Profile) error {
	for len(all) > 0 {
		data, n, err := encode(tenant, all)
		if err != nil {
			return err
		}
		f := &file{kind: profiles, named: int64(n), count: int64(n)}
		f.describe(tenant, all[:n])
		if err := b.write(f, data); err != nil {
			return fmt.Errorf("write buffer %s: %w", b.dir, err)
		}
		all = all[n:]
	}
	return nil
}

// AddRecording appends a recording. When it returns nil, it survives a crash. Older profiles and
// recordings are dropped for it, unless Keep is set; a *FullError means that it does not fit.
func (b *Buffer) AddRecording(tenant string, r store.Recording, content []byte) error {
	data, err := encodeRecording(tenant, &r, content)
	if err != nil {
		return err
	}
	if onDisk(int64(len(data))) > b.o.Size {
		return &FullError{b.o.Size}
	}
	f := &file{kind: recordings, named: 1, count: 1, tenant: tenant, of: []share{{r.Service, 1}}}
	if err := b.write(f, data); err != nil {
		return fmt.Errorf("write buffer %s: %w", b.dir, err)
	}
	return nil
}

// write writes the next file, and sets its number, time and size.
func (b *Buffer) write(f *file, data []byte) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f.seq, f.added, f.size = b.next, b.o.Now(), onDisk(int64(len(data)))
	b.trim(f.size)
	if b.size+f.size > b.o.Size {
		if b.o.Keep || f.kind == recordings {
			return &FullError{b.o.Size}
		}
		b.dropped[f.kind] += f.count
		b.report(false)
		return nil
	}
	temp := filepath.Join(b.dir, f.name()+tempSuffix)
	if err := writeFile(temp, data); err != nil {
		_ = os.Remove(temp) // what there is of it
		return err
	}
	if err := os.Rename(temp, filepath.Join(b.dir, f.name())); err != nil {
		_ = os.Remove(temp)
		return err
	}
	if err := tempfile.SyncDirectory(b.dir); err != nil {
		_ = os.Remove(filepath.Join(b.dir, f.name()))
		return err
	}
	b.next++
	b.files = append(b.files, f)
	b.size += f.size
	b.counts[f.kind] += f.count
	b.signal(f.kind)
	return nil
}

// writeFile writes a file to the disk.
func writeFile(name string, data []byte) error {
	out, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// trim deletes the oldest files until there is space for more bytes, and those that are too old. It
// leaves those that are being stored, and all if they are to be kept.
func (b *Buffer) trim(more int64) {
	if b.o.Keep {
		return
	}
	oldest := b.o.Now().Add(-b.o.Age)
	b.files = slices.DeleteFunc(b.files, func(f *file) bool {
		if f.taken || b.size+more <= b.o.Size && !f.added.Before(oldest) {
			return false
		}
		b.dropped[f.kind] += f.count
		b.deleted(f)
		return true
	})
	b.report(false)
}

// deleted deletes a file from the disk, and no longer counts it. If that fails, it is found again when
// the buffer is opened.
func (b *Buffer) deleted(f *file) {
	_ = os.Remove(filepath.Join(b.dir, f.name()))
	b.size -= f.size
	b.counts[f.kind] -= f.count
}

// report warns of what was dropped, now and then unless now is set.
func (b *Buffer) report(now bool) {
	at := b.o.Now()
	if b.dropped == b.reported || !now && at.Sub(b.warned) < dropsEvery {
		return
	}
	more := ""
	if n := b.dropped[recordings]; n > 0 {
		more = fmt.Sprintf("; recordings: %d, %d so far", n-b.reported[recordings], n)
	}
	b.o.Warn(fmt.Errorf("the buffer %s is full: profiles dropped: %d, %d so far%s (limits: %s, %v)", b.dir,
		b.dropped[profiles]-b.reported[profiles], b.dropped[profiles], more, unit.Bytes(b.o.Size), b.o.Age))
	b.reported, b.warned = b.dropped, at
}

func (b *Buffer) signal(k kind) {
	select {
	case b.added[k] <- struct{}{}:
	default:
	}
}

// Wake has Next and NextRecording ask again which services are held.
func (b *Buffer) Wake() {
	b.signal(profiles)
	b.signal(recordings)
}

// A Batch is what First and Next return.
type Batch struct {
	Tenant   string
	Profiles []store.Profile
	files    []*file
}

// Leave takes the profiles of a service out of a batch, so that Remove leaves them in the buffer.
func (b *Batch) Leave(service string) {
	b.Profiles = slices.DeleteFunc(b.Profiles, func(p store.Profile) bool { return p.Service == service })
}

// First returns the oldest batch, when there is one. The error is that of ctx. Damaged files are
// dropped and reported.
func (b *Buffer) First(ctx context.Context) (*Batch, error) { return b.Next(ctx, 0, nil) }

// Next is like First, and joins the batches that follow, if they are of the same tenant, as long as all
// have at most n profiles: a store takes many small batches faster as one. Profiles of services that are
// held are left out; nil holds none. What Next returned and Remove has not removed is returned again.
func (b *Buffer) Next(ctx context.Context, n int, held Held) (*Batch, error) {
	for {
		f, err := b.oldest(ctx, profiles, 0, held)
		if err != nil {
			return nil, err
		}
		batch, err := b.read(f, held)
		switch {
		case err != nil && b.away(ctx):
		case err != nil:
			b.damaged(f, err)
		case len(batch.Profiles) > 0:
			b.join(batch, n, held)
			return batch, nil
		}
	}
}

// oldest returns the oldest file of a kind, from a number on, that is not held, when there is one. It is
// then the only one of its kind that is taken.
func (b *Buffer) oldest(ctx context.Context, k kind, from uint64, held Held) (*file, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.mu.Lock()
		for _, f := range b.files {
			if f.kind == k {
				f.taken = false
			}
		}
		b.trim(0)
		var first, found *file // of all, and from the number on
		for _, f := range b.files {
			if f.kind != k || f.heldBack(held) {
				continue
			}
			if first == nil {
				first = f
			}
			if f.seq >= from {
				found = f
				break
			}
		}
		if found = cmp.Or(found, first); found != nil {
			found.taken = true
		}
		b.mu.Unlock()
		if found != nil {
			return found, nil
		}
		select {
		case <-b.added[k]:
		case <-ctx.Done():
		}
	}
}

// away reports whether the directory is not there now, such as a volume that is not mounted. Then it
// waits for a while.
func (b *Buffer) away(ctx context.Context) bool {
	if _, err := os.Stat(filepath.Join(b.dir, lockName)); err == nil {
		return false
	}
	timer := time.NewTimer(awayFor)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return true
}

// damaged drops a file that cannot be read.
func (b *Buffer) damaged(f *file, err error) {
	b.mu.Lock()
	b.dropped[f.kind] += f.count
	b.reported[f.kind] += f.count
	b.deleted(f)
	b.files = slices.DeleteFunc(b.files, func(x *file) bool { return x == f })
	b.mu.Unlock()
	what := fmt.Sprintf("%d profiles are", f.count)
	if f.kind == recordings {
		what = "a recording is"
	}
	b.o.Warn(fmt.Errorf("the buffer's file %s is damaged, so %s lost: %w", filepath.Join(b.dir, f.name()), what, err))
}

// read decodes a file, without what is held or stored already.
func (b *Buffer) read(f *file, held Held) (*Batch, error) {
	data, err := os.ReadFile(filepath.Join(b.dir, f.name()))
	if err != nil {
		return nil, err
	}
	batch, err := decode(data)
	if err != nil {
		return nil, err
	}
	batch.files = []*file{f}
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.of == nil {
		f.describe(batch.Tenant, batch.Profiles)
	}
	batch.Profiles = slices.DeleteFunc(batch.Profiles, func(p store.Profile) bool {
		return !f.has(p.Service) || held != nil && held(batch.Tenant, p.Service)
	})
	return batch, nil
}

// join appends the files that follow to a batch of one file. One that is damaged stays for later.
func (b *Buffer) join(batch *Batch, n int, held Held) {
	size, last := batch.files[0].size, batch.files[0]
	for {
		b.mu.Lock()
		at, _ := b.find(last.seq + 1)
		for at < len(b.files) && (b.files[at].kind != profiles || b.files[at].heldBack(held)) {
			at++
		}
		if at == len(b.files) || int64(len(batch.Profiles))+b.files[at].count > int64(n) || size+b.files[at].size > maxFile {
			b.mu.Unlock()
			return
		}
		last = b.files[at]
		last.taken = true
		b.mu.Unlock()
		more, err := b.read(last, held)
		if err != nil || more.Tenant != batch.Tenant {
			b.mu.Lock()
			last.taken = false
			b.mu.Unlock()
			return
		}
		size += last.size
		batch.Profiles, batch.files = append(batch.Profiles, more.Profiles...), append(batch.files, last)
	}
}

// Remove deletes the profiles of a batch that First or Next returned.
func (b *Buffer) Remove(batch *Batch) {
	done := map[string]bool{}
	for i := range batch.Profiles {
		done[batch.Profiles[i].Service] = true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range batch.files {
		f.taken = false
		f.of = slices.DeleteFunc(f.of, func(s share) bool {
			if !done[s.service] {
				return false
			}
			f.count -= s.count
			b.counts[f.kind] -= s.count
			return true
		})
	}
	b.forget(batch.files...)
}

// find returns the index of the first file that has a number or a later one, and whether it has this one.
// The lock is held.
func (b *Buffer) find(seq uint64) (at int, found bool) {
	return slices.BinarySearchFunc(b.files, seq, func(f *file, seq uint64) int { return cmp.Compare(f.seq, seq) })
}

// forget deletes those of some files of which nothing is left. The lock is held.
func (b *Buffer) forget(files ...*file) {
	for _, f := range files {
		at, found := b.find(f.seq)
		if len(f.of) == 0 && found {
			b.deleted(f)
			b.files = slices.Delete(b.files, at, at+1)
		}
	}
}

// A Recording is what NextRecording returns.
type Recording struct {
	Tenant    string
	Recording store.Recording
	Content   []byte
	file      *file
}

// NextRecording returns the oldest recording that was added after another one and is not held; nil or
// the newest one begins with the oldest. It waits until there is one; the error is that of ctx. So a
// recording that the store does not take does not hold back the others.
func (b *Buffer) NextRecording(ctx context.Context, after *Recording, held Held) (*Recording, error) {
	var from uint64
	if after != nil {
		from = after.file.seq + 1
	}
	for {
		f, err := b.oldest(ctx, recordings, from, held)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(filepath.Join(b.dir, f.name()))
		if err == nil {
			var r *Recording
			if r, err = decodeRecording(data); err == nil {
				r.file = f
				b.mu.Lock()
				f.tenant, f.of = r.Tenant, []share{{r.Recording.Service, 1}}
				b.mu.Unlock()
				if held == nil || !held(r.Tenant, r.Recording.Service) {
					return r, nil
				}
				continue
			}
		}
		if !b.away(ctx) {
			b.damaged(f, err)
		}
	}
}

// RemoveRecording deletes a recording that NextRecording returned.
func (b *Buffer) RemoveRecording(r *Recording) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r.file.of = nil
	b.forget(r.file)
}

// Stats are the contents of a Buffer.
type Stats struct {
	Profiles   int64
	Recordings int64
	Bytes      int64
	Dropped    int64 // profiles, since it was opened
}

// Stats returns what the buffer has now.
func (b *Buffer) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Stats{
		Profiles: b.counts[profiles], Recordings: b.counts[recordings], Bytes: b.size, Dropped: b.dropped[profiles],
	}
}
