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

// A Buffer is a directory of batches of profiles.
type Buffer struct {
	o    Options
	dir  string
	lock *os.File

	mu       sync.Mutex
	files    []file // oldest first
	next     uint64
	size     int64 // of files
	count    int64 // of their profiles
	taken    int   // how many of the first files are being stored
	dropped  int64
	reported int64 // of those dropped
	warned   time.Time
	added    chan struct{} // has one entry if there may be a batch
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

// A file is one batch.
type file struct {
	seq   uint64
	count int64
	added time.Time
	size  int64
}

func (f *file) name() string {
	return fmt.Sprintf("%016x-%d-%d.profiles", f.seq, f.count, f.added.UnixMilli())
}

// Open opens the buffer in a directory, which is created if needed. An error is returned if another
// process has it.
func Open(dir string, o Options) (*Buffer, error) {
	b := &Buffer{o: o, dir: dir, added: make(chan struct{}, 1)}
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
	b.signal()
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

var fileName = regexp.MustCompile(`^([0-9a-f]{16})-(\d{1,9})-(\d{1,15})\.profiles$`)

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
		f := file{seq: seq, count: count, added: time.UnixMilli(ms), size: onDisk(info.Size())}
		b.files = append(b.files, f)
		b.size += f.size
		b.count += f.count
	}
	slices.SortFunc(b.files, func(x, y file) int { return cmp.Compare(x.seq, y.seq) })
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
func (b *Buffer) Add(tenant string, profiles []store.Profile) error {
	for len(profiles) > 0 {
		data, n, err := encode(tenant, profiles)
		if err != nil {
			return err
		}
		if err := b.write(data, int64(n)); err != nil {
			return fmt.Errorf("write buffer %s: %w", b.dir, err)
		}
		profiles = profiles[n:]
	}
	return nil
}

// write writes the next file.
func (b *Buffer) write(data []byte, count int64) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := file{seq: b.next, count: count, added: b.o.Now(), size: onDisk(int64(len(data)))}
	b.trim(f.size)
	if b.size+f.size > b.o.Size {
		if b.o.Keep {
			return &FullError{b.o.Size}
		}
		b.dropped += count
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
	b.count += count
	b.signal()
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

// trim deletes the oldest batches until there is space for more bytes, and those that are too old. It
// leaves those that are being stored, and all if they are to be kept.
func (b *Buffer) trim(more int64) {
	if b.o.Keep {
		return
	}
	oldest := b.o.Now().Add(-b.o.Age)
	for {
		i := b.taken
		if i >= len(b.files) || b.size+more <= b.o.Size && !b.files[i].added.Before(oldest) {
			break
		}
		b.dropped += b.files[i].count
		b.remove(i)
	}
	b.report(false)
}

// remove deletes a file. If that fails, it is found again when the buffer is opened.
func (b *Buffer) remove(i int) {
	f := b.files[i]
	_ = os.Remove(filepath.Join(b.dir, f.name()))
	b.files = slices.Delete(b.files, i, i+1)
	b.size -= f.size
	b.count -= f.count
}

// report warns of batches that were dropped, now and then unless now is set.
func (b *Buffer) report(now bool) {
	at := b.o.Now()
	if b.dropped == b.reported || !now && at.Sub(b.warned) < dropsEvery {
		return
	}
	b.o.Warn(fmt.Errorf("the buffer %s is full: profiles dropped: %d, %d so far (limits: %s, %v)", b.dir,
		b.dropped-b.reported, b.dropped, unit.Bytes(b.o.Size), b.o.Age))
	b.reported, b.warned = b.dropped, at
}

func (b *Buffer) signal() {
	select {
	case b.added <- struct{}{}:
	default:
	}
}

// A Batch is what First returns.
type Batch struct {
	Tenant   string
	Profiles []store.Profile
	seqs     []uint64 // of its files
}

// First returns the oldest batch, when there is one. The error is that of ctx. Damaged files are
// dropped and reported. Each batch must be removed before First or Next is called again.
func (b *Buffer) First(ctx context.Context) (*Batch, error) { return b.Next(ctx, 0) }

// Next is like First, and joins the batches that follow, if they are of the same tenant, as long as all
// have at most n profiles: a store takes many small batches faster as one.
func (b *Buffer) Next(ctx context.Context, n int) (*Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.mu.Lock()
		b.trim(0)
		b.taken = min(1, len(b.files))
		var f file
		if b.taken > 0 {
			f = b.files[0]
		}
		b.mu.Unlock()
		if f.count == 0 && f.size == 0 {
			select {
			case <-b.added:
			case <-ctx.Done():
			}
			continue
		}
		batch, err := b.read(&f)
		if err == nil {
			b.join(batch, f.size, n)
			return batch, nil
		}
		b.o.Warn(fmt.Errorf("the buffer's file %s is damaged, so %d profiles are lost: %w",
			filepath.Join(b.dir, f.name()), f.count, err))
		b.mu.Lock()
		b.dropped += f.count
		b.reported += f.count
		b.mu.Unlock()
		b.Remove(&Batch{seqs: []uint64{f.seq}})
	}
}

// read decodes a file.
func (b *Buffer) read(f *file) (*Batch, error) {
	data, err := os.ReadFile(filepath.Join(b.dir, f.name()))
	if err != nil {
		return nil, err
	}
	batch, err := decode(data)
	if err == nil {
		batch.seqs = []uint64{f.seq}
	}
	return batch, err
}

// join appends the files that follow to a batch of some bytes. One that is damaged stays for later.
func (b *Buffer) join(batch *Batch, size int64, n int) {
	for {
		b.mu.Lock()
		var f file
		if b.taken < len(b.files) {
			f = b.files[b.taken]
		}
		if f.size == 0 || int64(len(batch.Profiles))+f.count > int64(n) || size+f.size > maxFile {
			b.mu.Unlock()
			return
		}
		b.taken++
		b.mu.Unlock()
		more, err := b.read(&f)
		if err != nil || more.Tenant != batch.Tenant {
			b.mu.Lock()
			b.taken--
			b.mu.Unlock()
			return
		}
		size += f.size
		batch.Profiles, batch.seqs = append(batch.Profiles, more.Profiles...), append(batch.seqs, f.seq)
	}
}

// Remove deletes a batch that First or Next returned.
func (b *Buffer) Remove(batch *Batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = 0
	for _, seq := range batch.seqs {
		if i := slices.IndexFunc(b.files, func(f file) bool { return f.seq == seq }); i >= 0 {
			b.remove(i)
		}
	}
}

// Stats are the contents of a Buffer.
type Stats struct {
	Profiles int64
	Bytes    int64
	Dropped  int64 // profiles, since it was opened
}

// Stats returns what the buffer has now.
func (b *Buffer) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Stats{Profiles: b.count, Bytes: b.size, Dropped: b.dropped}
}
