package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// argument is the first argument of a process that restricts itself, and then executes another program.
const argument = "sandboxed-command"

// insideEnv is the environment variable that is set in the namespaces.
const insideEnv = "WHET_SANDBOX"

// Inside reports whether the process is in the namespaces that Again makes.
func Inside() bool { return os.Getenv(insideEnv) != "" }

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
