package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/tempfile"
	"github.com/whet-go/whet/unit"
)

// outputFlags select where a document is written. An existing file is replaced only
// with --force.
type outputFlags struct {
	Output string
	Force  bool
}

func (f *outputFlags) registerOutput(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVarP(&f.Output, "output", "o", "", "write to `FILE`; - is standard output, the default")
	fs.BoolVar(&f.Force, "force", false, "replace an existing file")
}

// toFile reports whether the document goes to a file.
func (f *outputFlags) toFile() bool { return f.Output != "" && f.Output != "-" }

// checkOutput fails if the file exists and must not be replaced, and if --force is set although neither
// the file of -o nor one of others is written. It is called before the work, not after it.
func (f *outputFlags) checkOutput(others ...string) error {
	if f.Force && !f.toFile() &&
		!slices.ContainsFunc(others, func(name string) bool { return (&outputFlags{Output: name}).toFile() }) {
		return diag.Usagef("--force", "has no effect without a file", "name the file with -o")
	}
	return f.checkThere()
}

// checkThere fails if the file exists and must not be replaced.
func (f *outputFlags) checkThere() error {
	if !f.toFile() || f.Force {
		return nil
	}
	if fi, err := os.Lstat(f.Output); err == nil && (fi.Mode().IsRegular() || fi.IsDir()) {
		return &diag.Error{
			Op: "write", Subject: f.Output, Err: errors.New("the file exists"),
			Hint: "--force replaces it; -o names another",
		}
	}
	return nil
}

// writeOutput writes the document where the flags say.
func (a *app) writeOutput(f *outputFlags, write func(io.Writer) error) error {
	if !f.toFile() {
		return a.write(write)
	}
	size, err := tempfile.Replace(f.Output, write)
	if err != nil {
		return &diag.Error{Op: "write", Subject: f.Output, Err: err, Hint: diag.Hint(err)}
	}
	_, _ = fmt.Fprintf(a.stderr, "wrote %s (%s)\n", f.Output, unit.Bytes(size))
	return nil
}

// exportFlags are the flags of the commands that write other tools' formats.
type exportFlags struct {
	viewFlags
	outputFlags
}

func (f *exportFlags) register(cmd *cobra.Command) {
	f.viewFlags.register(cmd)
	f.registerOutput(cmd)
}

// export opens the profiles, and writes what report makes of them to the output of
// the flags.
func (a *app) export(
	ctx context.Context, args []string, f *exportFlags, write func(w io.Writer, in *input.Input) error,
) error {
	if err := f.checkOutput(); err != nil {
		return err
	}
	in, err := a.open(ctx, args, &f.viewFlags)
	if err != nil {
		return err
	}
	defer in.Close()
	a.warn(in.Warnings...)
	return a.writeOutput(&f.outputFlags, func(w io.Writer) error { return write(w, in) })
}
