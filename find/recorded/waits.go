package recorded

import (
	"context"
	"fmt"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/trace/waits"
	"github.com/whet-go/whet/unit"
)

// readWaits finds where requests wait in the traces of the recordings, of which it reads at most
// most bytes. The result is nil if it reads no trace. Skipped traces are warnings.
func (p *Program) readWaits(ctx context.Context, o *input.Opener, most unit.Bytes) error {
	read := int64(0)
	for _, l := range p.Opened {
		if most == 0 || l.Recording == nil || !l.Recording.Has(recording.TracePart) {
			continue
		}
		size := l.Recording.Size(recording.TracePart)
		if read+size > int64(most) {
			p.warn(&diag.Error{
				Op: "read the execution trace", Subject: l.Name,
				Err:  fmt.Errorf("skipped: reading its %v may take long, so where requests wait is unknown", unit.Bytes(size)),
				Hint: fmt.Sprintf("read it with --max-trace %dMB", (read+size+1<<20-1)>>20),
			})
			continue
		}
		read += size
		if p.Profiles.Waits == nil {
			p.Profiles.Waits = &find.Waits{}
		}
		err := p.addWaits(ctx, o, l)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			p.warn(&diag.Error{
				Op: "read the execution trace", Subject: l.Name,
				Err: fmt.Errorf("where its requests wait is unknown: %w", err), Hint: diag.Hint(err),
			})
		}
	}
	return nil
}

func (p *Program) warn(err error) { p.Warnings.Add(err) }

// addWaits adds the waits in a recording. A damaged index is rebuilt once.
func (p *Program) addWaits(ctx context.Context, o *input.Opener, l *input.Opened) error {
	var x *input.Trace
	add := func() (err error) {
		x, err = o.Trace(ctx, &input.Document{Name: l.Name, Path: l.Name, Recording: l.Recording}, "")
		if err != nil {
			return err
		}
		defer func() { _ = x.Close() }() // read-only
		until := x.Until(ctx)
		dropped, err := p.Profiles.Waits.Add(until)
		if err == nil && p.Profiles.Goroutines != nil {
			var rep *waits.Report
			if rep, err = waits.NewReport(until); err == nil {
				p.Profiles.Goroutines.AddTrace(rep)
			}
		}
		if dropped > 0 {
			p.warn(fmt.Errorf("%s: %d requests are too many to follow, and are skipped", l.Name, dropped))
		}
		return err
	}
	err := add()
	if x.Discard(err) {
		p.Warnings = append(p.Warnings, x.RebuildWarning())
		return add()
	}
	return err
}
