package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/sandbox"
	storedocs "github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/terminal"
)

// Main runs whet with the given arguments (without the program's name) and
// returns the exit code of the process. It returns early with code 1 when ctx
// is canceled.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	if code, ran := sandbox.Main(args, stderr); ran {
		return code
	}
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, style: styleOf(stdout), live: isTerminal(stderr)}
	defer func() {
		if v := recover(); v != nil {
			a.printError(&diag.Error{
				Op:   "internal error",
				Err:  fmt.Errorf("%v\n\n%s", v, debug.Stack()),
				Hint: "this is a bug in whet; please report it with the text above and the command that was run",
			})
			code = diag.Failure.ExitCode()
		}
	}()
	root := a.rootCommand()
	root.SetArgs(serviceFlag(goTestFlags(args)))
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	var ended *sandbox.EndedError
	if errors.As(err, &ended) {
		return ended.Code
	}
	if err != nil {
		a.printError(err)
	}
	return diag.ExitCode(err)
}

// app holds what commands share: the streams, and how to write to them.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	style  layout.Style // of stdout
	live   bool         // stderr is a terminal: show progress

	opened *input.Trace      // the last one
	warned diag.Warnings     // all that were printed
	lacks  storedocs.Partial // shards that did not answer

	scraping sync.Mutex // guards stderr while goroutines of a scraper report
}

// A group is a section of the command list in whet --help.
type group struct {
	id, title string
	commands  []func() *cobra.Command
}

// commands lists all commands. To add one, write a file with a constructor, and
// list it here.
func (a *app) commands() []group {
	return []group{
		{"record", "Load and record a target:", []func() *cobra.Command{
			a.loadCommand,
			a.recordCommand,
			a.watchCommand,
			a.recordingCommand,
		}},
		{"bench", "Measure, find what is expensive, and prove what is faster:", []func() *cobra.Command{
			a.benchCommand,
			a.findCommand,
			a.proveCommand,
			a.fixCommand,
			a.mcpCommand,
			a.rulesCommand,
			a.notesCommand,
			a.pgoCommand,
		}},
		{"view", "View a recording, a pprof profile or an address:", []func() *cobra.Command{
			a.uiCommand,
			a.serveCommand,
			a.topCommand,
			a.treeCommand,
			a.peekCommand,
			a.listCommand,
			a.disasmCommand,
			a.diffCommand,
			a.tracesCommand,
			a.tagsCommand,
			a.flameCommand,
			a.goroutinesCommand,
			a.memoryCommand,
			a.traceCommand,
			a.graphCommand,
			a.pprofCommand,
			a.dotCommand,
		}},
		{"store", "Profiles over time:", []func() *cobra.Command{
			a.pushCommand,
			a.queryCommand,
			a.storeCommand,
		}},
		{"export", "Export to other tools:", []func() *cobra.Command{
			a.foldedCommand,
			a.callgrindCommand,
			a.speedscopeCommand,
			a.rawCommand,
		}},
		{"about", "About whet:", []func() *cobra.Command{
			a.versionCommand,
			a.manCommand,
		}},
	}
}

// gettingStarted is what whet without arguments prints: from a service to a change that is proven to make it faster.
const gettingStarted = `whet record -o before.whet -d 10s -- ./service   record a service under load (--load URL)
whet top before.whet                             see which lines of your own code are expensive
whet find before.whet                            see why, and how to rewrite them
whet fix before.whet                             test the rewrites and keep those that are faster
whet prove main                                  prove your own change since main: the same, and faster
whet bench --base main ./...                     compare your benchmarks with those of main

"whet --help" lists all commands.
`

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "whet COMMAND",
		Short: "Make a Go service faster and prove it",
		Long: `whet records a Go service and finds the expensive lines of your code. It also
generates HTTP load, benchmarks code, and compares two builds with statistical
proof.

A recording (.whet) holds everything observed of a target over one window. Every
view also reads pprof profiles in any format, addresses that serve them, and
standard input ("-"); several inputs are merged.

"whet help glossary" explains the terms used here.`,
		Version: version().String(),

		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          unknownCommand,
		RunE: func(*cobra.Command, []string) error {
			return a.write(func(w io.Writer) error {
				_, err := io.WriteString(w, gettingStarted)
				return err
			})
		},
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	root.SetUsageFunc(usage)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.SetVersionTemplate("{{.Version}}\n")
	for _, g := range a.commands() {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, build := range g.commands {
			cmd := build()
			cmd.GroupID = g.id
			a.registerCompletions(cmd)
			root.AddCommand(cmd)
		}
	}
	root.AddCommand(glossaryTopic())
	root.SetHelpCommandGroupID("about")
	root.SetCompletionCommandGroupID("about")
	return root
}

// printError writes err and its hint to stderr, and joined errors one after the
// other.
func (a *app) printError(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		// fmt.Errorf with two verbs %w also unwraps to several errors, but adds text.
		if all := joined.Unwrap(); errors.Join(all...).Error() == err.Error() {
			for _, e := range all {
				a.printError(e)
			}
			return
		}
	}
	_, _ = fmt.Fprintf(a.stderr, "whet: %s\n", terminal.CleanText(bounded(err.Error())))
	if hint := diag.Hint(err); hint != "" {
		_, _ = fmt.Fprintf(a.stderr, "hint: %s\n", terminal.CleanText(bounded(hint)))
	}
}

// maxMessage bounds the length of a message, which may contain names of any length.
const maxMessage = 8 << 10

// bounded shortens a message in its middle if it is too long.
func bounded(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	return s[:maxMessage/2] + " … " + s[len(s)-maxMessage/2:]
}

// warn writes warnings, with their hints, to stderr, and keeps them for the document.
func (a *app) warn(warnings ...diag.Warning) {
	a.warned = append(a.warned, warnings...)
	for _, w := range warnings {
		_, _ = fmt.Fprintf(a.stderr, "whet: warning: %s\n", layout.Clean(bounded(w.String())))
		if w.Hint != "" {
			_, _ = fmt.Fprintf(a.stderr, "hint: %s\n", terminal.CleanText(bounded(w.Hint)))
		}
	}
}

// warnings returns the warnings of a document: those that were printed, and those in its result.
func (a *app) warnings(inResult diag.Warnings) diag.Warnings {
	all := slices.Clone(a.warned)
	all.AddNew(inResult...)
	return all
}

// write hands f a buffered stdout and flushes it.
func (a *app) write(f func(w io.Writer) error) error {
	buf := bufio.NewWriterSize(a.stdout, 64<<10)
	if err := f(buf); err != nil {
		_ = buf.Flush() // the first error is the one to report
		return err
	}
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// writeJSON writes a document as every --json does.
func (a *app) writeJSON(doc any) error {
	return a.write(func(w io.Writer) error { return report.JSON(w, doc) })
}

// show writes a document as JSON or as text.
func show[D any](a *app, asJSON bool, doc D, text func(io.Writer, layout.Style, D) error) error {
	if asJSON {
		return a.writeJSON(doc)
	}
	return a.write(func(w io.Writer) error { return text(w, a.style, doc) })
}

// progressf writes one line of progress if the output is live.
func (a *app) progressf(format string, args ...any) {
	if a.live {
		_, _ = fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}

func (a *app) lineOptions() progress.Options {
	return progress.Options{Live: a.live, Width: styleOf(a.stderr).Width}
}

// newLine returns a line of progress on standard error.
func (a *app) newLine() *progress.Line { return progress.NewLine(a.stderr, a.lineOptions()) }

// showRecording shows the progress of collect on a line.
func showRecording(line *progress.Line) func(collect.Progress) {
	return func(p collect.Progress) { line.Show(progress.Status(p)) }
}

// styleOf determines what w can show. Without a terminal there is no color and no
// limit on the width, so nothing is lost in a pipe; COLUMNS sets one.
func styleOf(w io.Writer) layout.Style {
	var s layout.Style
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		s.Width = n
	}
	if f, ok := w.(*os.File); ok && isTerminal(w) {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			s.Width = n
		}
		s.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return s
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
