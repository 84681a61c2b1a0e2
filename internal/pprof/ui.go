package pprof

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/terminal"
)

// ui implements the driver's plugin.UI: a shell with line editing, history and completion on a
// terminal, plain lines otherwise.
type ui struct {
	opt      Options
	in       *bufio.Reader
	terminal *term.Terminal // nil: plain lines
	fd       int            // of the terminal
	refuse   func(command string) error

	mu      sync.Mutex
	saved   *term.State // the terminal's, while a line is edited
	help    bool        // the driver is printing its usage
	serving []any       // the driver's message with the address, until the server listens
}

func newUI(opt Options) *ui {
	u := &ui{opt: opt, in: bufio.NewReader(opt.Stdin)}
	in, ok := opt.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) || !isTerminal(opt.Stderr) {
		return u
	}
	if t := strings.ToLower(os.Getenv("TERM")); t == "dumb" || t == "" && os.PathSeparator == '/' {
		return u
	}
	u.fd = int(in.Fd())
	u.terminal = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{opt.Stdin, opt.Stderr}, "")
	return u
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// ReadLine returns a command that is within the limits. At the end of input it returns io.EOF.
func (u *ui) ReadLine(prompt string) (string, error) {
	for {
		line, err := u.readLine(prompt)
		if line == "" || u.refuse == nil {
			return line, err
		}
		refused := u.refuse(line)
		if refused == nil {
			return line, err
		}
		u.PrintErr(refused, "\nhint: ", diag.Hint(refused))
		if err != nil {
			return "", err
		}
	}
}

func (u *ui) readLine(prompt string) (string, error) {
	if u.terminal == nil {
		if _, err := io.WriteString(u.opt.Stdout, prompt); err != nil {
			return "", err
		}
		return u.in.ReadString('\n')
	}
	if width, height, err := term.GetSize(u.fd); err == nil && width > 0 {
		_ = u.terminal.SetSize(width, height) // a wrong size only wraps badly
	}
	u.terminal.SetPrompt(prompt)
	state, err := term.MakeRaw(u.fd)
	if err != nil {
		return "", err
	}
	u.mu.Lock()
	u.saved = state
	u.mu.Unlock()
	defer u.restore()
	return u.terminal.ReadLine()
}

// restore restores the terminal's state.
func (u *ui) restore() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.saved != nil {
		_ = term.Restore(u.fd, u.saved)
		u.saved = nil
	}
}

// helping runs usage with its text redirected to standard output, under whet's name.
func (u *ui) helping(usage func()) {
	u.help = true
	defer func() { u.help = false }()
	usage()
}

// servingPrefix starts the driver's message with the address of its web interface.
const servingPrefix = "Serving web UI on "

// Print shows a message. The driver prints the address before it listens there; that message waits
// until the server listens.
func (u *ui) Print(args ...any) {
	if len(args) > 0 && args[0] == servingPrefix {
		u.serving = args
		return
	}
	u.print(args, "")
}

// listening shows the message that waited.
func (u *ui) listening() {
	if u.serving != nil {
		u.print(u.serving, "")
		u.serving = nil
	}
}

// PrintErr shows an error, in red on a terminal.
func (u *ui) PrintErr(args ...any) {
	const red = "\x1b[0;31m"
	if u.terminal != nil && os.Getenv("NO_COLOR") == "" {
		u.print(args, red)
		return
	}
	u.print(args, "")
}

func (u *ui) print(args []any, color string) {
	text := terminal.CleanText(fmt.Sprint(args...))
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	w := u.opt.Stderr
	if u.help {
		w = u.opt.Stdout
		text = strings.ReplaceAll(text, "\n   pprof ", "\n   whet pprof ")
	}
	if color != "" {
		text = color + text + "\x1b[0m"
	}
	_, _ = io.WriteString(w, text)
}

// IsTerminal reports whether reports go to a terminal.
func (u *ui) IsTerminal() bool { return u.terminal != nil && isTerminal(u.opt.Stdout) }

// WantBrowser reports whether -http opens a browser: only if standard output is a terminal.
func (u *ui) WantBrowser() bool { return isTerminal(u.opt.Stdout) }

// SetAutoComplete makes the tab key complete the line up to the cursor.
func (u *ui) SetAutoComplete(complete func(string) string) {
	if u.terminal == nil {
		return
	}
	u.terminal.AutoCompleteCallback = func(line string, pos int, key rune) (string, int, bool) {
		if key != '\t' {
			return "", 0, false
		}
		done := complete(line[:pos])
		return done + line[pos:], len(done), true
	}
}
