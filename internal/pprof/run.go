package pprof

import (
	"context"
	"errors"
	"io"

	"github.com/google/pprof/driver"

	"github.com/whet-go/whet/internal/diag"
)

// Options configures Run.
type Options struct {
	Args   []string  // as for go tool pprof, without the program's name
	Stdin  io.Reader // commands of the interactive shell
	Stdout io.Writer // the shell's prompt and the output of -help; reports go to os.Stdout
	Stderr io.Writer // messages

	// Dot is a program that draws like Graphviz's dot if it is called with the argument dot and
	// then dot's arguments. It is used if Graphviz is not installed; "" means none.
	Dot string
}

// Run runs the driver until it is done or ctx is canceled. All other errors have kind diag.Usage,
// whose exit code is 2: go tool pprof has no other.
func Run(ctx context.Context, opt Options) error {
	ui := newUI(opt)
	flags := newFlagSet(opt.Args, ui)
	removeDot, err := provideDot(opt.Dot)
	if err != nil {
		return &diag.Error{Op: "pprof", Err: err, Kind: diag.Usage}
	}
	defer removeDot()
	limit := newMemoryLimit(flags)
	ui.refuse = limit.shell.refuse
	open := &recordings{limit: limit}
	defer open.close()
	flags.afterParse = func(args []string, set map[string]*string) error {
		return open.unpackSource(args, set)
	}
	tr := newTransport(flags)
	obj := newObjTool(open)
	defer obj.close()
	fetch := &fetcher{recordings: open, transport: tr, ui: ui, limit: limit}
	done := make(chan error, 1)
	go func() {
		done <- driver.PProf(&driver.Options{
			Flagset:       flags,
			Fetch:         fetch,
			Obj:           obj,
			UI:            ui,
			HTTPTransport: tr,
			HTTPServer:    func(args *driver.HTTPServerArgs) error { return serveWeb(ctx, args, ui.listening) },
		})
	}()
	select {
	case err = <-done:
		if ctx.Err() != nil {
			return ctx.Err() // this ended serving
		}
	case <-ctx.Done():
		// The driver does not use contexts; the process ends with the command.
		ui.restore()
		return ctx.Err()
	}
	switch {
	case flags.help:
		return nil
	case flags.err != nil:
		return &diag.Error{Err: flags.err, Kind: diag.Usage}
	case err != nil && err.Error() == "no profile source specified":
		return diag.Usagef("pprof", "no profile given", "`whet pprof --help` lists formats, options and sources")
	case err != nil:
		if e := (*diag.Error)(nil); errors.As(err, &e) {
			return &diag.Error{Err: err, Kind: diag.Usage}
		}
		return &diag.Error{Op: "pprof", Err: err, Hint: fetch.hinted(), Kind: diag.Usage}
	}
	return nil
}
