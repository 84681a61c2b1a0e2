package cli

import (
	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/pprof"
)

func (a *app) pprofCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "pprof [FORMAT] [OPTIONS] [BINARY] SOURCE...",
		Short: "Run go tool pprof, complete, without binutils",
		Long: `Run go tool pprof's commands, shell and web interface, without binutils.

Every option, format and command of go tool pprof works; 'whet pprof --help' lists
them. A source may also be a recording: FILE.whet is its CPU profile,
FILE.whet:heap another one.`,
		Example: `  whet pprof -top cpu.pb.gz
  whet pprof -list 'main\.' demo.whet
  whet pprof -disasm 'main\.handle' ./server cpu.pb.gz
  whet pprof -http localhost:8080 demo.whet:heap
  whet pprof http://localhost:6060/debug/pprof/heap`,
		DisableFlagParsing: true, // the driver's options have one dash
		RunE: func(cmd *cobra.Command, args []string) error {
			return pprof.Run(cmd.Context(), pprof.Options{Args: args, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr})
		},
	}
}
