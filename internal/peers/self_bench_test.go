//go:build unix

package peers

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// startSelf starts this binary with a variable (KEY=value) that makes it another program, as the
// last argument of a command such as taskset, if there is one. It returns its output, and a
// function that ends it, which is called at the latest when the benchmark ends.
func startSelf(b *testing.B, variable string, command ...string) (stdout io.Reader, stop func()) {
	b.Helper()
	args := append(command[:len(command):len(command)], os.Args[0])
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), variable)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err = cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		_ = stdin.Close() // it ends when its input does
		_ = cmd.Wait()
	})
	b.Cleanup(stop)
	return stdout, stop
}
