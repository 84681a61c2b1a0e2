package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/whet-go/whet/internal/diag"
)

// argument is the first argument of a process that restricts itself, and then executes another program.
const argument = "sandboxed-command"

// insideEnv is the environment variable that is set in the namespaces.
const insideEnv = "WHET_SANDBOX"

// inside reports whether the process is in the namespaces that again creates.
func inside() bool { return os.Getenv(insideEnv) != "" }

// An EndedError reports that the program ran to its end in the namespaces, and printed everything there.
type EndedError struct {
	Code int // its exit code
}

func (e *EndedError) Error() string { return fmt.Sprintf("exit code %d in the sandbox", e.Code) }

// Enter returns nil in the namespaces, where it makes loopback usable. Outside, it runs the program again in them
// and returns an *EndedError. Any other error is the reason why there can be no sandbox; op is the operation that it
// mentions.
func Enter(op string) error {
	err := Supported()
	switch {
	case err != nil:
	case inside():
		err = setUp()
	default:
		var code int
		if code, err = again(); err == nil {
			return &EndedError{code}
		}
	}
	if err == nil {
		return nil
	}
	return &diag.Error{
		Op: op, Subject: "--sandbox", Err: err, Hint: "omit --sandbox, or run whet in a virtual machine",
	}
}

// Command returns the beginning of a command line that runs a program in the sandbox; the program's name and
// arguments follow it. The program can write only below dir, which is absolute.
func Command(dir string) ([]string, error) {
	self, err := exec.LookPath(os.Args[0])
	if err == nil {
		self, err = filepath.Abs(self)
	}
	if err != nil {
		if self, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	return []string{self, argument, dir}, nil
}

// failed is the exit code of a process that cannot restrict itself.
const failed = 125

// Main must be called at the start of the program, with its arguments. If they are those of Command, it does not
// return on success: the process becomes the other program. ran is false if they are not.
func Main(args []string, stderr io.Writer) (code int, ran bool) {
	if len(args) == 0 || args[0] != argument {
		return 0, false
	}
	err := errors.New("no program")
	if len(args) > 2 {
		err = restricted(args[1], args[2:])
	}
	_, _ = fmt.Fprintf(stderr, "whet: sandbox: %v\n", err)
	return failed, true
}
