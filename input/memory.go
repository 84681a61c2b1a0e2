package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/memory"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/unit"
)

// maxHeapText is the maximum size of a heap profile in text form, which is read into memory.
const maxHeapText = 256 << 20

// Memory reads the memory statistics in arg, a recording or the text form of a heap profile.
func (o *Opener) Memory(ctx context.Context, arg string) (*memory.Report, error) {
	d, err := o.Document(ctx, arg, func(u *url.URL) {
		u.Path += "heap"
		u.RawQuery = url.Values{"debug": {"1"}}.Encode()
	})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if d.Recording != nil {
		return recordedMemory(d)
	}
	if !d.Text {
		return nil, &diag.Error{
			Op: "read", Subject: d.Name, Err: errors.New("a profile has no memory statistics"),
			Hint: "fetch the text form: curl -o heap.txt http://HOST/debug/pprof/heap?debug=1",
		}
	}
	data, err := io.ReadAll(io.LimitReader(d.Reader, maxHeapText+1))
	if err == nil && len(data) > maxHeapText {
		err = fmt.Errorf("more than %v of text", unit.Bytes(maxHeapText))
	}
	if err != nil {
		return nil, readError(d.Name, err)
	}
	in := memory.Input{Name: d.Name}
	if in.End, err = memory.ParseMemStats(bytes.NewReader(data)); err != nil {
		return nil, &diag.Error{
			Op: "read", Subject: d.Name, Err: err,
			Hint: "the statistics are at the end of http://HOST/debug/pprof/heap?debug=1",
		}
	}
	// The text is also a legacy heap profile. Only the lines with the statistics are required, so
	// the profile may be missing.
	if p, err := profile.Parse(data, d.options); err == nil {
		in.Heap = p
	}
	return memory.New(in)
}

// recordedMemory reads everything in a recording that is about memory. Only the statistics at the
// end are required.
func recordedMemory(d *Document) (*memory.Report, error) {
	rec := d.Recording
	if !rec.Has(recording.MemStatsEndPart) {
		return nil, MissingPart(rec, d.Name, recording.MemStatsEndPart, "memory statistics")
	}
	in := memory.Input{Name: d.Name, Window: rec.Meta().Duration}
	warnings := slices.Clone(rec.Warnings)
	// read passes a part, if present, to parse; a damaged one is a warning.
	read := func(name string, parse func(io.Reader) error) error {
		if !rec.Has(name) {
			return nil
		}
		r, err := rec.Part(name)
		if err != nil {
			return err
		}
		err = parse(r)
		if cerr := r.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return fmt.Errorf("%s of %s: %w", name, d.Name, err)
		}
		return nil
	}
	optional := func(err error) {
		if err != nil {
			warnings.Add(err)
		}
	}
	stats := func(dst **memory.Stats) func(io.Reader) error {
		return func(r io.Reader) (err error) {
			*dst, err = memory.ParseMemStats(r)
			return err
		}
	}
	if err := read(recording.MemStatsEndPart, stats(&in.End)); err != nil {
		return nil, err
	}
	optional(read(recording.MemStatsStartPart, stats(&in.Start)))
	optional(read(recording.ProcessPart, func(r io.Reader) (err error) {
		in.Process, err = memory.ParseProcess(r)
		return err
	}))
	optional(read(recording.AgentPart, func(r io.Reader) (err error) {
		in.Agent, err = memory.ParseAgent(r)
		return err
	}))
	names := rec.ProfileNames()
	for _, p := range []struct {
		name string
		dst  **profile.Profile
	}{{"heap.live", &in.Heap}, {"cpu", &in.CPU}} {
		if slices.Contains(names, p.name) {
			prof, err := rec.Profile(p.name)
			optional(err)
			if err == nil {
				*p.dst = prof
			}
		}
	}
	r, err := memory.New(in)
	if err != nil {
		return nil, err
	}
	r.Warnings = append(warnings, r.Warnings...)
	return r, nil
}
