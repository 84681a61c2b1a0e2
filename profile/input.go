package profile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"

	"github.com/whet-go/whet/unit"
)

// Limits on memory: decoding may take LimitBase bytes plus LimitFactor bytes for each byte of
// input, compressed or not. Real profiles take 2 to 15 times their compressed size; a gzip bomb
// takes 1000 times and more.
const (
	LimitBase   = 64 << 20
	LimitFactor = 40
)

// ReadOptions bounds what Read accepts.
type ReadOptions struct {
	// MaxBytes bounds the memory for decoding. 0 means LimitBase plus LimitFactor times the input's
	// size.
	MaxBytes int64

	// Size is the stored size of the input if the caller has inflated it already, such as from a
	// zip archive. 0 means that the bytes read count.
	Size int64

	// Canceled, if not nil, is called for each block of the input: the error that it returns, such as that of a context,
	// ends decoding.
	Canceled func() error
}

// A LimitError reports that decoding was stopped at its memory limit.
type LimitError struct {
	Limit int64 // bytes
	Input int64 // bytes read so far
}

// Error returns the limit, and how much of the input was read.
func (e *LimitError) Error() string {
	return fmt.Sprintf("after %d bytes of input it needs more than the %v of memory that it may take", e.Input,
		unit.Bytes(e.Limit))
}

// Hint returns how to raise the limit.
func (e *LimitError) Hint() string {
	return "if the file is trusted, raise the limit with --max-memory"
}

// blockSize is how much is inflated at a time. Two blocks are in flight, so that inflating and
// decoding overlap.
const (
	firstBlock = 32 << 10
	blockSize  = 512 << 10
)

// What a profile was read with is used again: servers read one after another.
//
//nolint:gochecknoglobals // pools
var (
	blocks  = sync.Pool{New: func() any { return new([blockSize]byte) }}
	readers = sync.Pool{New: func() any { return &reader{buffered: bufio.NewReaderSize(nil, 128<<10)} }}
)

// reader buffers input, and inflates it.
type reader struct {
	buffered *bufio.Reader
	gzip     *gzip.Reader // nil at first
}

// plain returns the input without compression.
func (r *reader) plain() (io.Reader, error) {
	head, err := r.buffered.Peek(2)
	if len(head) == 0 {
		if err == nil || errors.Is(err, io.EOF) {
			return nil, errors.New("empty input, not a profile")
		}
		return nil, err
	}
	if len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b {
		return r.buffered, nil
	}
	if r.gzip == nil {
		r.gzip, err = gzip.NewReader(r.buffered)
	} else {
		err = r.gzip.Reset(r.buffered)
	}
	if err != nil {
		return nil, fmt.Errorf("gzip header: %w", err)
	}
	return r.gzip, nil
}

// source returns the uncompressed input in blocks. A block is valid until the next call.
type source interface {
	next() ([]byte, error) // io.EOF at the end, with no data
	input() int64          // bytes of (compressed) input consumed so far
}

// countReader counts the bytes that pass through it.
type countReader struct {
	r        io.Reader
	canceled func() error // or nil
	n        atomic.Int64
}

func (c *countReader) Read(b []byte) (int, error) {
	if c.canceled != nil {
		if err := c.canceled(); err != nil {
			return 0, err
		}
	}
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// pipeSource reads (and inflates) on its own goroutine.
type pipeSource struct {
	in     *countReader
	blocks chan block
	free   chan *[blockSize]byte
	done   chan struct{}
	last   *[blockSize]byte
	err    error
}

type block struct {
	data *[blockSize]byte
	n    int
	err  error
}

func newPipeSource(r io.Reader, in *countReader) *pipeSource {
	s := &pipeSource{
		in:     in,
		blocks: make(chan block, 2),
		free:   make(chan *[blockSize]byte, 4),
		done:   make(chan struct{}),
	}
	go s.run(r)
	return s
}

func (s *pipeSource) run(r io.Reader) {
	defer close(s.blocks)
	size := firstBlock // so that decoding begins soon
	for made := 0; ; {
		var buf *[blockSize]byte
		if made < 3 {
			buf = blocks.Get().(*[blockSize]byte)
			made++
		} else {
			select {
			case buf = <-s.free:
			case <-s.done:
				return
			}
		}
		n, err := io.ReadFull(r, buf[:size])
		size = blockSize
		if errors.Is(err, io.ErrUnexpectedEOF) && n > 0 && isCleanEOF(r) {
			err = io.EOF
		}
		select {
		case s.blocks <- block{buf, n, err}:
		case <-s.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// isCleanEOF distinguishes a short last block from a truncated gzip stream. io.ReadFull reports
// both as io.ErrUnexpectedEOF, but only after a short last block does the reader report io.EOF. It
// reports whether the input ended cleanly.
func isCleanEOF(r io.Reader) bool {
	var one [1]byte
	n, err := r.Read(one[:])
	return n == 0 && err == io.EOF
}

func (s *pipeSource) next() ([]byte, error) {
	if s.last != nil {
		s.free <- s.last
		s.last = nil
	}
	if s.err != nil {
		return nil, s.err
	}
	b := <-s.blocks
	s.err, s.last = b.err, b.data
	if b.n == 0 {
		return nil, b.err
	}
	return b.data[:b.n], nil
}

func (s *pipeSource) input() int64 { return s.in.n.Load() }

// stop ends the goroutine, which may be inside a Read, without waiting for it. It reports whether the goroutine had
// ended; then the blocks are used again.
func (s *pipeSource) stop() (ended bool) {
	close(s.done)
	if s.err == nil {
		return false
	}
	if s.last != nil {
		blocks.Put(s.last)
	}
	for {
		select {
		case b := <-s.free:
			blocks.Put(b)
		default:
			return true
		}
	}
}

// memSource is uncompressed input in memory.
type memSource struct {
	data []byte
	n    int64
}

func (s *memSource) next() ([]byte, error) {
	if s.data == nil {
		return nil, io.EOF
	}
	d := s.data
	s.data = nil
	s.n = int64(len(d))
	return d, nil
}

func (s *memSource) input() int64 { return s.n }

// ReadFile reads a profile from a file, as Read does; errors have the file's name.
func ReadFile(path string, opt ReadOptions) (*Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	defer func() { _ = f.Close() }()
	p, err := Read(f, opt)
	if err != nil {
		return nil, fmt.Errorf("read profile %q: %w", path, err)
	}
	return p, nil
}

// Read decodes one profile: protobuf, gzipped or not, or one of the earlier formats (binary CPU
// profiles, text heap, contention, thread and Java profiles). It drops the frames that the producer
// asks to drop.
//
// Memory is bounded by opt; the error for input that exceeds the bound is a *LimitError. Errors in
// the input are *SyntaxError with the offset in the uncompressed data.
func Read(r io.Reader, opt ReadOptions) (*Profile, error) {
	in := &countReader{r: r, canceled: opt.Canceled}
	read := readers.Get().(*reader)
	read.buffered.Reset(in)
	plain, err := read.plain()
	if err != nil {
		return nil, err
	}
	src := newPipeSource(plain, in)
	defer func() {
		if src.stop() {
			read.buffered.Reset(nil)
			readers.Put(read)
		}
	}()
	return decode(src, opt)
}

// Parse is like Read, for bytes in memory.
func Parse(data []byte, opt ReadOptions) (*Profile, error) {
	if len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b {
		return Read(bytes.NewReader(data), opt)
	}
	if len(data) == 0 {
		return nil, errors.New("empty input, not a profile")
	}
	return decode(&memSource{data: data}, opt)
}
