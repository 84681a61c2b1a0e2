package pprof

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	gprofile "github.com/google/pprof/profile"
	"github.com/klauspost/compress/gzip"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// The driver's reader has no limits, so whet reads a profile up to its limit and estimates its size
// before the driver's reader gets it.
const (
	limitBase   = 128 << 20 // bytes of memory for any profile
	limitFactor = 64        // plus this for each byte of input
)

// A memoryLimit limits the memory for reading a profile and for its report.
type memoryLimit struct {
	bytes  int64         // -max_memory; 0 is limitBase and limitFactor
	report func() report // returns the requested report; nil if there is none
	shell  shell
}

// newMemoryLimit defines -max_memory.
func newMemoryLimit(f *flagSet) *memoryLimit {
	m := &memoryLimit{report: f.report}
	f.AddExtraUsage("    -max_memory           Memory limit for reading one profile, and for its report, such as 2GB " +
		"(default: relative to its size)")
	f.Func("max_memory", "Memory limit for reading one profile, and for its report, such as `2GB`", func(v string) error {
		n, err := unit.ParseBytes(v)
		m.bytes = int64(n)
		return err
	})
	return m
}

// of returns the limit for a number of bytes of input.
func (m *memoryLimit) of(input int64) int64 {
	if m.bytes > 0 {
		return m.bytes
	}
	return limitBase + limitFactor*input
}

// exceeded returns the error for a profile that would need more.
func (m *memoryLimit) exceeded(input, cost int64) error {
	return &diag.Error{
		Err: fmt.Errorf("after %d bytes of input it needs more than the %v of memory that it may take: google/pprof, "+
			"which reads it here, takes about %v, as a structure for each sample, location and label",
			input, unit.Bytes(m.of(input)), unit.Bytes(cost)),
		Hint: "the other commands of whet take less, such as `whet top`; if the file can be trusted, raise the " +
			"limit: -max_memory " + roomy(cost),
	}
}

// read decodes a profile. size is the size of all input if known; with 0, the bytes read so far
// count.
func (m *memoryLimit) read(r io.Reader, size int64) (*gprofile.Profile, error) {
	in := &counter{r: r}
	br := bufio.NewReader(in)
	var plain io.Reader = br
	if head, _ := br.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("decompressing profile: %w", err)
		}
		plain = z
	}
	input := func() int64 {
		if size > 0 {
			return size
		}
		return in.n
	}
	var data bytes.Buffer
	for {
		n, err := io.CopyN(&data, plain, 1<<20)
		// The least memory it can need: the input, in a growing buffer, and the decoded profile.
		if least := 6 * int64(data.Len()); least > m.of(input()) {
			return nil, m.exceeded(input(), least)
		}
		if errors.Is(err, io.EOF) && n < 1<<20 {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("decompressing profile: %w", err)
		}
	}
	if b := data.Bytes(); len(b) >= 2 && b[0] == 0x1f && b[1] == 0x8b {
		return nil, errors.New("it is compressed twice") // the driver's reader would inflate it without a limit
	}
	cost := profile.ForeignCost(data.Bytes())
	if cost > m.of(input()) {
		return nil, m.exceeded(input(), cost)
	}
	p, err := gprofile.ParseData(data.Bytes())
	if err != nil {
		return nil, err
	}
	data = bytes.Buffer{}
	if m.report != nil {
		report, limit := m.report(), m.of(input())
		held := cost / 2 // the estimate is twice the memory for profiles of Go programs
		if err := report.check(p, held, limit); err != nil {
			return nil, err
		}
		m.shell.add(p, held, limit)
	}
	clean(p)
	return p, nil
}

// clean makes a profile's texts safe to print: the driver prints them as they are.
func clean(p *gprofile.Profile) {
	text := func(all ...*string) {
		for _, s := range all {
			*s = terminal.Clean(*s)
		}
	}
	for _, t := range append(slices.Clone(p.SampleType), p.PeriodType) {
		if t != nil {
			text(&t.Type, &t.Unit)
		}
	}
	text(&p.DefaultSampleType, &p.DocURL)
	for i := range p.Comments {
		text(&p.Comments[i])
	}
	for _, m := range p.Mapping {
		text(&m.File, &m.BuildID)
	}
	for _, f := range p.Function {
		text(&f.Name, &f.SystemName, &f.Filename)
	}
	for _, s := range p.Sample {
		s.Label, s.NumLabel, s.NumUnit = cleanKeys(s.Label), cleanKeys(s.NumLabel), cleanKeys(s.NumUnit)
		for _, texts := range []map[string][]string{s.Label, s.NumUnit} {
			for _, values := range texts {
				for i := range values {
					text(&values[i])
				}
			}
		}
	}
}

// cleanKeys returns labels with keys that are safe to print: mostly the map itself.
func cleanKeys[V any](labels map[string][]V) map[string][]V {
	for key := range labels {
		if terminal.Clean(key) == key {
			continue
		}
		out := make(map[string][]V, len(labels))
		for key, values := range labels {
			out[terminal.Clean(key)] = values
		}
		return out
	}
	return labels
}

// stream reads input that may have no end.
func (m *memoryLimit) stream(r io.Reader) (*gprofile.Profile, error) {
	if m.bytes > 0 {
		return m.read(r, 0)
	}
	streamed := memoryLimit{bytes: maxStreamed, report: m.report}
	p, err := streamed.read(r, 0)
	m.shell.take(&streamed.shell)
	return p, err
}

// maxStreamed limits input from the network.
const maxStreamed = 512 << 20

// counter counts bytes read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}
