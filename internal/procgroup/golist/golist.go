package golist

import (
	"context"
	"crypto/rand"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"slices"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/procgroup"
)

// variable is the variable in the environment of the go command. The go command ignores it: what it builds is cached
// under the same keys.
const variable = "WHET_GOLIST"

// killTime is the time between two looks at the processes, while go list has not ended.
const killTime = 10 * time.Millisecond

// Load is packages.Load with the context of cfg. If that ends, its error is returned, and go list and what it has
// started are killed. cfg is not changed; ParseFile must not be set.
func Load(ctx context.Context, cfg *packages.Config, patterns ...string) (pkgs []*packages.Package, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	mark := variable + "=" + rand.Text()
	c := *cfg
	c.Context = ctx
	run := exec.Cmd{Env: slices.Clip(cfg.Env)}
	remove, err := procgroup.GoTemp(&run)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	c.Env = append(run.Env, mark)
	c.ParseFile = func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return parser.ParseFile(fset, name, src, parser.AllErrors|parser.ParseComments) // as package packages does
	}
	loaded := make(chan struct{})
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		select {
		case <-loaded:
			return
		case <-ctx.Done():
		}
		for ended := false; !ended; {
			kill(mark)
			select {
			case <-loaded:
				ended = true
				kill(mark) // what go list has started meanwhile
			case <-time.After(killTime):
			}
		}
	}()
	pkgs, err = packages.Load(&c, patterns...)
	close(loaded)
	<-killed
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return pkgs, err
}
