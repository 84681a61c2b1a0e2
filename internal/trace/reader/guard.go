package reader

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/whet-go/whet/internal/diag"
)

// The reader of traces holds a generation in memory, with maps of what is in its tables, and trusts
// that the runtime wrote the trace. These limits on its input bound that memory: about 2.5 GB for a
// crafted trace, and what a generation has for a normal one.
const (
	maxGeneration = 1 << 30  // bytes: a second of some hundred busy processors
	maxTables     = 64 << 20 // bytes of strings, stacks and samples in a generation
	maxBatches    = 1 << 18  // in a generation: those of the runtime have 64 KiB
	maxThreads    = 1 << 14  // in a generation: by default a program is killed at 10 000
	maxAllThreads = 1 << 20  // in the whole trace
	maxBatch      = 64 << 10 // bytes, by the format
)

// Limits of traces of Go 1.11 to 1.21, whose events are all held in memory and merged from all
// processors, each time by examining those that are not ready.
const (
	maxOld       = 256 << 20 // bytes
	maxOldEvents = 16 << 20
	maxOldWork   = 1 << 32 // events, times processors
)

// The types of batches and of their contents, in golang.org/x/exp/trace/internal/tracev2.
const (
	evEventBatch        = 1
	evStacks            = 2
	evStrings           = 4
	evCPUSamples        = 6
	evExperimentalBatch = 49
	evEndOfGeneration   = 52
)

// unreadable returns why a trace cannot be read, or not beyond some point. hint may be "".
func unreadable(text, hint string) error { return &diag.Error{Err: errors.New(text), Hint: hint} }

// headLen is the number of bytes that identify a file.
const headLen = 16

// A guard passes a trace on to its reader, and ends it where it exceeds the limits. It checks the
// heads of batches as they pass.
type guard struct {
	r    *bufio.Reader
	left int   // bytes to pass before the next batch
	err  error // that ended it

	gen     uint64
	bytes   int64 // of the generation
	tables  int64
	batches int
	here    int               // threads of the generation
	threads map[uint64]uint64 // the last generation of each
}

// newGuard reads a trace's head. It returns a guard or, for a trace in an old format, a reader of
// the whole trace.
func newGuard(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 256<<10)
	head, err := b.Peek(headLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	version, err := versionOf(head)
	if err != nil {
		return nil, err
	}
	if version < firstNew {
		data, err := readOld(b)
		return bytes.NewReader(data), err
	}
	return &guard{r: b, left: headLen, threads: map[uint64]uint64{}}, nil
}

// firstNew is the first version whose format has generations: Go 1.22.
const firstNew = 22

// CheckHead returns an error if a file does not begin like a trace, with a hint about what the file
// is. head has its first [HeadLen] bytes, or all if there are fewer.
func CheckHead(head []byte) error {
	_, err := versionOf(head)
	return err
}

// HeadLen is the length of a trace's head.
const HeadLen = headLen

// firstKnown is the first version whose format can be read.
const firstKnown = 11

// versionOf returns the minor version of Go in a trace's head.
func versionOf(head []byte) (version int, err error) {
	_, err = fmt.Sscanf(string(head), "go 1.%d trace\x00\x00\x00", &version)
	switch {
	case err == nil && version < firstKnown:
		return 0, unreadable(fmt.Sprintf("a trace of Go 1.%d: its format cannot be read before Go 1.%d", version, firstKnown),
			"`go tool trace` of that version reads it; build the program with a newer Go")
	case err == nil && version <= 40:
		return version, nil
	}
	const source = "a trace comes from runtime/trace, /debug/pprof/trace, or `whet record`"
	for _, known := range []struct{ magic, is, hint string }{
		{"\x1f\x8b", "compressed, as profiles are", "`whet top` reads a profile; `gunzip` unpacks a trace"},
		{"PK\x03\x04", "a zip file", "a recording's name ends in .whet; of another archive, unpack the trace"},
		{"whet trace index", "an index of a trace", "give the trace itself"},
		{"{", "JSON", source},
		{"[", "JSON", source},
		{"<", "an HTML or XML page", "the address of a trace ends in /debug/pprof/trace"},
		{"goroutine ", "a dump of goroutines", "`whet goroutines` reads it"},
		{"\x0a", "perhaps an uncompressed profile", "`whet top` reads a profile"},
	} {
		if bytes.HasPrefix(head, []byte(known.magic)) {
			return 0, unreadable("not an execution trace: it is "+known.is, known.hint)
		}
	}
	switch {
	case len(head) == 0:
		return 0, unreadable("an empty file", "the program that writes a trace must call trace.Stop, and close the file")
	case len(head) < headLen && bytes.HasPrefix([]byte("go 1."), head[:min(len(head), 5)]):
		return 0, unreadable("cut off in its first bytes",
			"the program that writes a trace must call trace.Stop, and close the file")
	case bytes.HasPrefix(head, []byte("go 1.")):
		return 0, unreadable(fmt.Sprintf("unrecognized head %q", bytes.TrimRight(head, "\x00")),
			"a newer whet may support it")
	}
	return 0, unreadable("not an execution trace", source)
}

// Read implements io.Reader.
func (g *guard) Read(p []byte) (int, error) {
	if g.left == 0 {
		if g.err == nil {
			g.err = g.batch()
		}
		if g.err != nil {
			return 0, g.err
		}
	}
	n, err := g.r.Read(p[:min(len(p), g.left)])
	g.left -= n
	return n, err
}

// batch checks the head of the next batch. Anything else passes: the reader has better errors for
// it.
func (g *guard) batch() error {
	head, err := g.r.Peek(2 + 4*10 + 1)
	if len(head) == 0 {
		return err
	}
	d := decoder{b: head}
	switch d.byte() {
	case evEndOfGeneration:
		g.left = 1
		return nil
	case evEventBatch:
	case evExperimentalBatch:
		d.byte()
	default:
		g.left = len(head)
		return nil
	}
	gen, thread := d.uint(), d.uint()
	d.uint() // time
	size := d.uint()
	if d.bad || size > maxBatch {
		g.left = len(head)
		return nil
	}
	g.left = len(head) - len(d.b) + int(size)
	kind := byte(0)
	if size > 0 {
		kind = d.byte()
	}
	return g.count(gen, thread, kind)
}

// count counts a batch of g.left bytes.
func (g *guard) count(gen, thread uint64, kind byte) error {
	if gen < g.gen {
		return unreadable(fmt.Sprintf("generation %d comes after %d", gen, g.gen), "")
	}
	if gen != g.gen {
		g.gen, g.bytes, g.tables, g.batches, g.here = gen, 0, 0, 0, 0
	}
	if g.threads[thread] != gen {
		g.threads[thread] = gen
		g.here++
	}
	g.batches++
	g.bytes += int64(g.left)
	if kind == evStacks || kind == evStrings || kind == evCPUSamples {
		g.tables += int64(g.left)
	}
	for _, l := range []struct {
		n, limit int64
		of       string
	}{
		{g.bytes, maxGeneration, "bytes"},
		{g.tables, maxTables, "bytes of strings and stacks"},
		{int64(g.batches), maxBatches, "batches"},
		{int64(g.here), maxThreads, "threads"},
		{int64(len(g.threads)), maxAllThreads, "threads so far"},
	} {
		if l.n > l.limit {
			return unreadable(fmt.Sprintf("generation %d has more than %d %s", gen, l.limit, l.of), "")
		}
	}
	return nil
}

// readOld reads a trace in an old format into memory, and counts what is in it.
func readOld(r io.Reader) ([]byte, error) {
	const shorter = "record for a shorter time, or with Go 1.22 or later"
	data, err := io.ReadAll(io.LimitReader(r, maxOld+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxOld {
		return nil, unreadable(fmt.Sprintf("a trace of Go 1.21 or earlier with more than %d MiB", maxOld>>20), shorter)
	}
	events, procs := countOld(data[headLen:])
	if events > maxOldEvents {
		return nil, unreadable(fmt.Sprintf("a trace of Go 1.21 or earlier with more than %d events", maxOldEvents), shorter)
	}
	if events*procs > maxOldWork {
		return nil, unreadable(fmt.Sprintf("%d events of %d processors in a trace of Go 1.21 or earlier", events, procs),
			shorter)
	}
	return data, nil
}

// Types of events before Go 1.22 that have more than their arguments.
const (
	oldBatch   = 1
	oldString  = 37
	oldUserLog = 48
)

// countOld counts events, strings and stacks, and processors, up to unknown or truncated data.
func countOld(data []byte) (events, procs int64) {
	seen := map[uint64]bool{}
	for d := (decoder{b: data}); len(d.b) > 0; events++ {
		b := d.byte()
		switch typ, args := b&0x3f, b>>6+1; {
		case typ == oldBatch:
			seen[d.uint()] = true
			d.uint()
		case typ == oldString:
			d.uint()
			d.skip()
		case args < 4:
			for range args {
				d.uint()
			}
		default:
			d.skip()
			if typ == oldUserLog {
				d.skip()
			}
		}
	}
	return events, int64(len(seen))
}
