package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/docs"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/fix/failures"
	"github.com/whet-go/whet/internal/loopback"
	"github.com/whet-go/whet/internal/mcp"
	"github.com/whet-go/whet/internal/mcp/fit"
)

// tokenVariable is the environment variable with the token for HTTP clients.
const tokenVariable = "WHET_MCP_TOKEN"

// mcpFlags are the flags of whet mcp.
type mcpFlags struct {
	Roots        []string
	Targets      []string
	HTTP         string
	TokenFile    string
	Jobs         int
	Sandbox      bool
	MaxResult    byteSize
	Instructions bool
}

func (a *app) mcpCommand() *cobra.Command {
	f := &mcpFlags{}
	cmd := &cobra.Command{
		Use:   "mcp [--root DIR]...",
		Short: "Serve whet's tools to an assistant, by the Model Context Protocol",
		Long: `Serve whet's tools to an assistant, by the Model Context Protocol: record,
hot_lines, line_evidence, find, prove, prove_status, prove_cancel, compare, load
and trace_requests.

The client, such as an editor or an agent, starts this command and talks to it
on standard input and output. With --http, any number of clients on this machine
may connect to http://ADDR/mcp, and must send a bearer token: that of
--token-file, or of the environment variable ` + tokenVariable + `, or one that
is generated and printed once.

Clients may name files below the roots only (--root; default: the current
directory), and whet runs code of modules there only. Requests are sent to
loopback addresses, and to hosts named by --target. The user's files are never
changed: a patch is judged in a copy of the module, as by whet prove, and only a
recording is written, to a new file.

A patch is code, and its tests run with your privileges, as they do when the
assistant runs go test. With --sandbox, on Linux, that code has no network
except loopback, and can write only to the copy.

Measurements wait for each other, since they share the CPUs (--jobs).

--instructions prints a page for the assistant's instructions, such as
AGENTS.md: how to use the tools to make a program faster, and prove it.`,
		Example: `  whet mcp --instructions
  whet mcp --root ~/src/shop
  whet mcp --root . --sandbox --target staging.example.com:6060
  whet mcp --http 127.0.0.1:7777 --token-file ~/.config/whet-token`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.mcp(cmd.Context(), cmd, f) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringArrayVar(&f.Roots, "root", nil, "let clients read, and run code, below `DIR`; may repeat (default: .)")
	fs.StringArrayVar(&f.Targets, "target", nil, "let clients record and load `HOST` or HOST:PORT; may repeat")
	fs.StringVar(&f.HTTP, "http", "", "serve HTTP at the loopback address `ADDR`, not standard input and output")
	fs.StringVar(&f.TokenFile, "token-file", "", "with --http: require the bearer token in `FILE`")
	fs.IntVar(&f.Jobs, "jobs", 1, "run `N` measurements at once")
	fs.BoolVar(&f.Sandbox, "sandbox", false,
		"run the code of patches without a network, and let it write only to the copy (Linux)")
	f.MaxResult = fit.DefaultLimit
	fs.Var(&f.MaxResult, "max-result", "limit on the `SIZE` of a tool's result")
	fs.BoolVar(&f.Instructions, "instructions", false, "print instructions for the assistant")
	return cmd
}

func (a *app) mcp(ctx context.Context, cmd *cobra.Command, f *mcpFlags) (err error) {
	if f.Instructions {
		return a.write(func(w io.Writer) error {
			_, err := io.WriteString(w, docs.AssistantLoop())
			return err
		})
	}
	if err := checkUseless("mcp", cmd.Flags().Changed, []useless{
		{"token-file", f.HTTP == "", "without --http", "clients on standard input need no token"},
	}); err != nil {
		return err
	}
	if f.Jobs < 1 {
		return diag.Usagef("mcp", fmt.Sprintf("--jobs must be positive, not %d", f.Jobs),
			"1 lets measurements wait for each other")
	}
	o := mcp.Options{
		Roots: f.Roots, Targets: f.Targets, Jobs: f.Jobs, Sandbox: f.Sandbox, MaxResult: int(f.MaxResult),
		Version: version().Version, Failures: failures.CacheDir(),
	}
	if o.Whet, err = os.Executable(); err != nil {
		return err
	}
	s, err := mcp.New(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if f.HTTP == "" {
		return s.Run(ctx, a.stdin, a.stdout)
	}
	token, generated, err := a.mcpToken(f)
	if err != nil {
		return err
	}
	if _, err := s.Handler(token); err != nil { // before anything listens
		return &diag.Error{Op: "mcp", Err: err, Hint: "omit --token-file and " + tokenVariable + " to generate one"}
	}
	l, err := loopback.Listen(ctx, f.HTTP)
	if err != nil {
		return &diag.Error{
			Op: "mcp", Err: err, Hint: "use a loopback address, such as 127.0.0.1:7777; an SSH tunnel connects other machines",
		}
	}
	_, _ = fmt.Fprintf(a.stderr, "serving http://%s%s\n", l.Addr(), mcp.Path)
	if generated {
		_, _ = fmt.Fprintf(a.stderr, "token: %s\n", token)
	}
	return s.Serve(ctx, l, token)
}

// mcpToken returns the token that HTTP clients must send.
func (a *app) mcpToken(f *mcpFlags) (token string, generated bool, err error) {
	if f.TokenFile != "" {
		token, err = input.ReadToken(f.TokenFile, a.stdin)
		return token, false, err
	}
	if token = os.Getenv(tokenVariable); token != "" {
		// The programs that the server starts must not read it.
		return token, false, os.Unsetenv(tokenVariable)
	}
	return mcp.NewToken(), true, nil
}
