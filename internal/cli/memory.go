package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/memory"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/unit"
)

func (a *app) memoryCommand() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "memory [BEFORE] NOW",
		Short: "Account for memory from live heap to RSS, and for the GC",
		Long: `Account for a program's memory, from the live heap through garbage,
fragmentation, free spans, stacks and the runtime's own structures to the
resident set size, and for its garbage collections: their number, share of CPU
time and pauses, and the allocation rate.

The parts add up to the total, to the byte. Estimates are marked with ~, and
what the input cannot show is listed at the end.

NOW and BEFORE are each a recording (.whet), the text of
/debug/pprof/heap?debug=1 in a file, an address (the base URL of a service that
serves /debug/pprof/) or "-" for standard input. A recording shows what changed
over its window; two arguments are compared.`,
		Example: `  whet memory demo.whet
  whet memory monday.whet friday.whet
  whet memory http://localhost:6060`,
		Args: twoArgs("whet memory demo.whet"),
	}
	f.registerSource(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.memory(cmd.Context(), args, f) }
	return cmd
}

func (a *app) memory(ctx context.Context, args []string, f *viewFlags) error {
	if err := f.checkAddressFlags(args); err != nil {
		return err
	}
	ld := &loader{app: a, flags: f}
	var seen []*memory.Report
	for _, arg := range args {
		r, err := ld.memory(ctx, arg)
		if err != nil {
			return err
		}
		seen = append(seen, r)
	}
	now := seen[len(seen)-1]
	if len(seen) == 2 {
		now.Warnings = append(slices.Clone(seen[0].Warnings), now.Warnings...)
		now.Grow(seen[0])
	}
	a.printWarnings(now.Warnings)
	doc := report.NewMemory(now)
	if f.JSON {
		return a.writeJSON(doc)
	}
	return a.write(func(w io.Writer) error { return report.WriteMemory(w, a.style, doc) })
}

// maxHeapText bounds the heap profile in text form, which is read into memory.
const maxHeapText = 256 << 20

func (ld *loader) memory(ctx context.Context, arg string) (*memory.Report, error) {
	d, err := ld.document(ctx, arg, func(u *url.URL) {
		u.Path += "heap"
		u.RawQuery = url.Values{"debug": {"1"}}.Encode()
	})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if d.rec != nil {
		return ld.recordedMemory(d)
	}
	if !d.text {
		return nil, &diag.Error{
			Op: "read", Subject: d.name, Err: errors.New("a profile has no memory statistics"),
			Hint: "fetch the text form: curl -o heap.txt http://HOST/debug/pprof/heap?debug=1",
		}
	}
	data, err := io.ReadAll(io.LimitReader(d.r, maxHeapText+1))
	if err == nil && len(data) > maxHeapText {
		err = fmt.Errorf("more than %v of text", unit.Bytes(maxHeapText))
	}
	if err != nil {
		return nil, readError(d.name, err)
	}
	in := memory.Input{Name: d.name}
	if in.End, err = memory.ParseMemStats(bytes.NewReader(data)); err != nil {
		return nil, &diag.Error{Op: "read", Subject: d.name, Err: err, Hint: "the statistics are at the end of http://HOST/debug/pprof/heap?debug=1"}
	}
	// The text is a legacy heap profile as well. Only the lines of the statistics
	// are needed, so it may have been cut out.
	if p, err := profile.Parse(data, ld.options()); err == nil {
		in.Heap = p
	}
	return memory.New(in)
}

// recordedMemory reads all that a recording tells about memory. Only the
// statistics at the end must be there.
func (ld *loader) recordedMemory(d *document) (*memory.Report, error) {
	rec := d.rec
	if !rec.Has(recording.MemStatsEndPart) {
		return nil, missingPart(rec, d.name, recording.MemStatsEndPart, "memory statistics")
	}
	in := memory.Input{Name: d.name, Window: rec.Meta().Duration}
	warnings := slices.Clone(rec.Warnings)
	// read hands a part that is there to parse; a damaged one is a warning.
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
			return fmt.Errorf("%s of %s: %w", name, d.name, err)
		}
		return nil
	}
	optional := func(err error) {
		if err != nil {
			warnings = append(warnings, err)
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
