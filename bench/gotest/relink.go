package gotest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/whet-go/whet/bench/ab"
)

// A Relinker links a package's test binaries of two sides again and again, with their functions in another
// random order each time: where code happens to lie changes its speed by a few percent, which is easily
// taken for an effect of its change (Curtsinger and Berger, "Stabilizer: Statistically Sound Performance
// Evaluation", ASPLOS 2013). The order is that of the linker's -randlayout, which Go has since 1.22.
//
// Both sides get the same order as far as they have the same functions. Subjects of the package share a
// Relinker; it keeps the binaries of two orders.
type Relinker struct {
	dir      string
	sources  [2]Source
	packages [2]Package

	mu     sync.Mutex
	linked map[int][2]*Binary // by order
}

// NewRelinker returns a Relinker for the package of two builds, which keeps its files in the directory
// dir, which must exist.
func NewRelinker(dir string, sources [2]Source, packages [2]Package) *Relinker {
	return &Relinker{dir: dir, sources: sources, packages: packages, linked: map[int][2]*Binary{}}
}

// keptOrders is the number of orders whose binaries are kept: subjects take turns, so that some may be a pair ahead.
const keptOrders = 2

// binaries returns the binaries in an order, which is 1 or greater.
func (l *Relinker) binaries(ctx context.Context, order int) (out [2]*Binary, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if out, ok := l.linked[order]; ok {
		return out, nil
	}
	for old, pair := range l.linked {
		if old <= order-keptOrders {
			delete(l.linked, old)
			for _, b := range pair {
				err = errors.Join(err, os.Remove(b.Path))
			}
		}
	}
	if err != nil {
		return out, fmt.Errorf("link in another order: %w", err)
	}
	var errs [2]error
	var group sync.WaitGroup
	for side := range out {
		file := filepath.Join(l.dir, fmt.Sprintf("%v-%d.test", ab.Side(side), order))
		group.Go(func() {
			if out[side], errs[side] = Compile(ctx, l.sources[side].inOrder(order), l.packages[side], file); errs[side] != nil {
				errs[side] = &relinkError{ab.Side(side), errs[side]}
			}
		})
	}
	group.Wait()
	if err := cmp.Or(errs[ab.A], errs[ab.B]); err != nil {
		return out, err
	}
	l.linked[order] = out
	return out, nil
}

// A relinkError is the reason why a side could not be linked, in one line: the compiler has nothing to say.
type relinkError struct {
	side ab.Side
	err  error
}

// Error ends with what the linker says first.
func (e *relinkError) Error() string {
	text := e.err.Error()
	if bad := (*BuildError)(nil); errors.As(e.err, &bad) {
		for line := range strings.Lines(bad.Output) {
			if text = strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") {
				break // the others are the package's name, and how to use the linker
			}
		}
	}
	return fmt.Sprintf("link %v with its functions in another order: %s", e.side, text)
}

// Unwrap returns the error of the build.
func (e *relinkError) Unwrap() error { return e.err }

// inOrder returns the source with flags that have the linker shuffle functions. It leaves out debugging
// information, whose linking takes about half of the time.
func (src Source) inOrder(order int) Source {
	const name = "-ldflags="
	shuffle := fmt.Sprintf("-w -randlayout=%d", order)
	// The last -ldflags that applies to a package counts: each may be for some packages only.
	flags := []string{name + shuffle}
	for _, flag := range slices.Clone(src.Flags) {
		if strings.HasPrefix(flag, name) {
			flag += " " + shuffle
		}
		flags = append(flags, flag)
	}
	src.Flags = flags
	return src
}
