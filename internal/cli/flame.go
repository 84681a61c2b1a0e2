package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/sequence"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/report/pictures"
	"github.com/whet-go/whet/internal/report/profiles"
	"github.com/whet-go/whet/internal/tempfile"
)

// flameFlags are the flags of whet flame besides those of all views.
type flameFlags struct {
	viewFlags
	Output string
	Order  string
	Open   bool
	Force  bool
}

// byTime is the order of calls in which they were sampled.
const byTime = "time"

func (a *app) flameCommand() *cobra.Command {
	f := &flameFlags{}
	cmd := &cobra.Command{
		Use:   "flame " + profilesUsage,
		Short: "Write an interactive flame graph, one HTML file",
		Long: `Write an interactive flame graph: one HTML file of at most 5 MB, whatever the
size of the profile, that is self-contained and makes no network requests.

The page shows every sample type of the profile (--type selects the first),
top-down, bottom-up or around one function. Colors show whose code it is, the
package or, with --base or --diff-base, what grew and what shrank. With --order
time, it shows what ran when: the CPU samples of a recording's execution trace.

In a pipe the page goes to standard output, otherwise to a file in the current
directory named after the profile. An existing file is replaced only if whet
flame wrote it, or with --force.

` + profilesHelp,
		Example: `  whet flame demo.whet
  whet flame -o cpu.html --open cpu.pb.gz
  whet flame --type alloc_space demo.whet
  whet flame --diff-base before.pb.gz after.pb.gz
  whet flame --order time demo.whet
  whet flame http://localhost:6060`,
		Args: profileArgs,
	}
	f.register(cmd)
	fs := cmd.Flags()
	fs.StringVarP(&f.Output, "output", "o", "", "write the page to `FILE`; - is standard output")
	fs.StringVar(&f.Order, "order", "", "`ORDER` of calls: time shows the CPU samples of a recording's trace")
	fs.BoolVar(&f.Open, "open", false, "open the page in the browser")
	fs.BoolVar(&f.Force, "force", false, "replace a file that whet flame did not write")
	fixFlags(cmd, "the page chooses the units that suit its values", "unit")
	fs.Lookup("json").Usage = "write what the page shows as JSON"
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.flame(cmd.Context(), args, f) }
	return cmd
}

func (a *app) flame(ctx context.Context, args []string, f *flameFlags) error {
	out := f.Output
	if out == "-" && f.Open {
		return diag.Usagef("flame", "--open requires a file", "omit -o -, or name a file with -o")
	}
	if f.Order != "" && f.Order != byTime {
		return diag.Usagef("flame", fmt.Sprintf("--order: %q is not known", f.Order),
			"--order time shows CPU samples in the order of their times")
	}
	in, err := a.open(ctx, args, &f.viewFlags)
	if err != nil {
		return err
	}
	defer in.Close()
	if out == "" && (f.Open || isTerminal(a.stdout)) && !f.JSON {
		out = pictures.FlameFile(args[0], in.Part)
	}
	if f.Force && (out == "" || out == "-") {
		return diag.Usagef("flame", "--force has no effect without a file", "name the file with -o")
	}
	if out != "" && out != "-" && !f.Force {
		if err := checkReplace(out); err != nil { // before the work, not after
			return err
		}
	}
	doc, err := flameInput(in, f)
	if err != nil {
		return err
	}
	a.warn(in.Warnings...)
	if f.Order == byTime {
		release, err := a.inOrder(ctx, args, f, in, &doc)
		if err != nil {
			return err
		}
		defer release()
	}
	doc.Warnings = a.warned
	write := func(w io.Writer) error {
		if f.JSON {
			return pictures.FlameJSON(w, doc)
		}
		return pictures.Flame(w, doc)
	}
	if out == "" || out == "-" {
		return a.write(write)
	}
	if err := a.writeOutput(&outputFlags{Output: out}, write); err != nil {
		return &diag.Error{Err: err, Hint: "-o names another file"}
	}
	if f.Open {
		if err := openBrowser(ctx, out); err != nil {
			return &diag.Error{Op: "open", Subject: out, Err: err, Hint: "open the file in a browser yourself"}
		}
	}
	return nil
}

// inOrder replaces the views by that of the CPU samples of the recording's trace. release frees what the view needs.
func (a *app) inOrder(
	ctx context.Context, args []string, f *flameFlags, in *input.Input, doc *pictures.FlameInput,
) (release func(), err error) {
	if len(args) != 1 || in.Recording == nil || in.Type.Type != "cpu" || len(f.Base)+len(f.DiffBase) > 0 ||
		f.framesLabels() {
		return nil, diag.Usagef("flame", "only the CPU samples of a recording with an execution trace have times",
			"name one recording, without a base and labels, and cpu as --type")
	}
	x, _, err := a.openTrace(ctx, args[0], &traceFlags{view: f.viewFlags})
	if err != nil {
		return nil, err
	}
	view, warnings, err := sequence.New(x, in)
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	a.warn(warnings...)
	doc.Views = []flame.View{view}
	return func() { _ = x.Close() }, nil // it was only read
}

// flameInput collects what the page shows.
func flameInput(in *input.Input, f *flameFlags) (pictures.FlameInput, error) {
	doc := pictures.FlameInput{Title: in.Name, Facts: profiles.FlameFacts(f.header(in))}
	if _, err := os.Stat(in.Name); err == nil {
		doc.Title = filepath.Base(in.Name)
	}
	if in.Part != "" {
		doc.Title += " · " + in.Part
	}
	frame := flame.Frames(in.Profile, in.View.Query().By, in.Own.Matcher())
	var err error
	if doc.Views, err = flame.Views(in.Profile, in.View, frame); err != nil {
		return doc, &diag.Error{Op: "apply filters", Err: err, Kind: diag.Usage}
	}
	return doc, nil
}

// checkReplace fails if the file at path was not written by whet flame.
func checkReplace(path string) error {
	ours, err := tempfile.Marked(path, pictures.FlameMark, pictures.FlameMarkWithin)
	switch {
	case errors.Is(err, tempfile.ErrDirectory):
		return &diag.Error{Op: "write", Subject: path, Err: err, Hint: "name a file with -o"}
	case err == nil && !ours:
		return &diag.Error{
			Op: "write", Subject: path, Err: errors.New("the file exists and was not written by whet flame"),
			Hint: "--force replaces it; -o names another",
		}
	}
	return err
}

// openBrowser opens a file with the desktop's default program.
func openBrowser(ctx context.Context, path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return browse(ctx, abs)
}

// browse shows a file, by its absolute name, or an address in the user's browser.
func browse(ctx context.Context, what string) error {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.CommandContext(ctx, "open", what)
	case "windows":
		cmd = exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", what)
	default:
		cmd = exec.CommandContext(ctx, "xdg-open", what)
	}
	if msg, err := cmd.CombinedOutput(); err != nil {
		if text := strings.TrimSpace(string(msg)); text != "" {
			return fmt.Errorf("%w: %s", err, strconv.Quote(text))
		}
		return err
	}
	return nil
}
