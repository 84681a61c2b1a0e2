package cli

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/graphviz"
	"github.com/whet-go/whet/internal/pprof"
)

func (a *app) pprofCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "pprof [FORMAT] [OPTIONS] [BINARY] SOURCE...",
		Short: "Run all of go tool pprof, without binutils",
		Long: `Run go tool pprof's commands, shell and web interface, without binutils.

Every option, format and command of go tool pprof works; 'whet pprof --help'
lists them. Without an installed Graphviz, the built-in one draws -svg, -web and
the graph of -http. A source may also be a recording: FILE.whet is its CPU
profile, FILE.whet:heap another one.`,
		Example: `  whet pprof -top cpu.pb.gz
  whet pprof -list 'main\.' demo.whet
  whet pprof -disasm 'main\.handle' ./server cpu.pb.gz
  whet pprof -http localhost:8080 demo.whet:heap
  whet pprof http://localhost:6060/debug/pprof/heap`,
		DisableFlagParsing: true, // the driver's options have one dash
		RunE: func(cmd *cobra.Command, args []string) error {
			opt := pprof.Options{Args: args, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr}
			if program, err := os.Executable(); err == nil {
				opt.Dot = program
			}
			return pprof.Run(cmd.Context(), opt)
		},
	}
}

// dotCommand replaces Graphviz's dot for whet pprof: it draws a graph from
// standard input as SVG.
func (a *app) dotCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "dot -Tsvg",
		Short:              "Draw a graph as Graphviz's dot does",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] != "-Tsvg" {
				return diag.Usagef("dot", "only SVG is available without Graphviz", "use -svg or -web, or install Graphviz")
			}
			text, err := io.ReadAll(a.stdin)
			if err != nil {
				return err
			}
			draw := graphviz.New(cmd.Context())
			defer func() { _ = draw.Close() }() // nothing can be lost
			svg, err := draw.SVG(cmd.Context(), text)
			if err != nil {
				return err
			}
			return a.write(func(w io.Writer) error {
				_, err := w.Write(svg)
				return err
			})
		},
	}
}
