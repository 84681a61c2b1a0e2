package cli

import (
	"context"
	"fmt"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/unit"
)

// maxFindTrace is how much of execution traces whet find reads by itself: some ten seconds' work, unless their
// indexes are kept.
const maxFindTrace byteSize = 64 << 20

// requestWaits are where requests wait in the traces of recordings; nil when none has one that is read. What is
// left out is a warning: the profiles are what counts.
func (a *app) requestWaits(ctx context.Context, opened []*loaded, most int64) (*find.Waits, error) {
	var waits *find.Waits
	read := int64(0)
	for _, l := range opened {
		if most == 0 || l.rec == nil || !l.rec.Has(recording.TracePart) {
			continue
		}
		size := l.rec.Size(recording.TracePart)
		if read+size > most {
			a.printWarnings([]error{&diag.Error{
				Op: "read the execution trace", Subject: l.name, Err: fmt.Errorf("its %v may take long, and are left out: nothing is said of where requests wait", unit.Bytes(size)),
				Hint: fmt.Sprintf("--max-trace %dMB reads it", (read+size+1<<20-1)>>20),
			}})
			continue
		}
		read += size
		if waits == nil {
			waits = &find.Waits{}
		}
		err := a.addWaits(ctx, l, waits)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			a.printWarnings([]error{&diag.Error{
				Op: "read the execution trace", Subject: l.name, Err: fmt.Errorf("nothing is said of where its requests wait: %w", err), Hint: diag.Hint(err),
			}})
		}
	}
	return waits, nil
}

// addWaits adds those of a recording. An index that turns out to be damaged is made again, once.
func (a *app) addWaits(ctx context.Context, l *loaded, waits *find.Waits) error {
	add := func() error {
		a.keptTrace = ""
		x, err := a.indexTrace(ctx, &document{name: l.name, rec: l.rec}, l.name, "")
		if err != nil {
			return err
		}
		defer func() { _ = x.Close() }() // was only read
		dropped, err := waits.Add(x)
		if dropped > 0 {
			a.printWarnings([]error{fmt.Errorf("%s: %d requests are too many to be followed, and are left out", l.name, dropped)})
		}
		return err
	}
	err := add()
	if a.removeDamaged(err) {
		a.printWarnings([]error{remade(a.keptTrace)})
		return add()
	}
	return err
}
