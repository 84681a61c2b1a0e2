package machinecode

import (
	"context"
	"io"
	"maps"

	"github.com/whet-go/whet/internal/prove/scratch"
)

// Same reports whether the compiler makes the same of packages of the module without and with changes, which are flags
// of the go command, and of how many functions. It is false if that is unknown, as it is with flags of the user's for
// the compiler. The packages must be buildable, and have no assembly, which may call unexported functions.
func Same(ctx context.Context, m *scratch.Module, changed, packages []string) (functions int, same bool, err error) {
	before, err := list(ctx, m, nil, packages)
	if err != nil || before == nil {
		return 0, false, err
	}
	after, err := list(ctx, m, changed, packages)
	if err != nil || after == nil {
		return 0, false, err
	}
	return after.functions, alike(before, after), nil
}

// list compiles packages with further flags; nil if there is no listing.
func list(ctx context.Context, m *scratch.Module, more, packages []string) (*listing, error) {
	r, w := io.Pipe()
	var l *listing
	var readErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		l, readErr = readListing(r)
		_, _ = io.Copy(io.Discard, r) // the go command must not wait for a reader
	}()
	err := m.Listing(ctx, w, more, packages)
	_ = w.Close() // it never fails
	<-done
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil || readErr != nil || len(l.symbols) == 0:
		return nil, nil //nolint:nilnil // unknown
	}
	return l, nil
}

// alike reports whether two listings are of the same program. Their symbols must have the same names and contents, but
// what mayRename allows may have any name, or be there twice, as long as it is the same where the others refer to it.
//
// Such functions are divided into classes by what they contain and the classes of what they refer to, again and again
// until no class is divided any more: the coarsest bisimulation, as Hopcroft's algorithm has it for automata.
func alike(a, b *listing) bool {
	sides := [2]*listing{a, b}
	var classes [2]map[string]class
	for i, l := range sides {
		classes[i] = map[string]class{}
		for s := range l.symbols {
			if s.mayRename() {
				classes[i][s.name] = class{}
			}
		}
	}
	for known := 1; ; {
		distinct := map[class]bool{}
		for i, l := range sides {
			next := map[string]class{}
			for s, c := range l.symbols {
				if was, ok := classes[i][s.name]; ok {
					next[s.name] = c.classOf(was, classes[i])
				}
			}
			classes[i] = next
			for _, c := range next {
				distinct[c] = true
			}
		}
		if len(distinct) <= known {
			break
		}
		known = len(distinct)
	}
	var contents [2]map[symbol]class
	for i, l := range sides {
		contents[i] = map[symbol]class{}
		for s, c := range l.symbols {
			if _, ok := classes[i][s.name]; !ok {
				contents[i][s] = c.classOf(class{}, classes[i])
			}
		}
	}
	return maps.Equal(contents[0], contents[1])
}
