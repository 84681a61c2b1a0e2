package gotest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// stopVariable holds the number of the descriptor that a test binary watches, the first one after
// the standard streams, as [exec.Cmd.ExtraFiles] assigns it.
const stopVariable = "WHET_STOP_FD"

// stopFile is added to the external tests of a package, which may import anything. Package testing
// writes profiles when the last benchmark has ended; this writes them when the other end of the
// descriptor is closed. The goroutine waits in a system call, so it appears in no profile or trace.
// Files that testing may be writing itself are replaced, not written to. The flags are read from the arguments,
// -test.NAME=VALUE: package flag must not be used before main has registered its flags.
const stopFile = `package %s_test

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"syscall"
)

func init() {
	const variable, fd = %q, 3
	if os.Getenv(variable) == "" {
		return
	}
	os.Unsetenv(variable)
	syscall.CloseOnExec(fd)
	value := func(name string) (v string) {
		for _, arg := range os.Args[1:] {
			if prefix := "-test." + name + "="; strings.HasPrefix(arg, prefix) {
				v = arg[len(prefix):]
			}
		}
		return v
	}
	write := func(profile, name string) {
		file := value(name)
		if file == "" {
			return
		}
		if !filepath.IsAbs(file) {
			file = filepath.Join(value("outputdir"), file)
		}
		f, err := os.Create(file + ".stopped")
		if err != nil {
			return
		}
		err = pprof.Lookup(profile).WriteTo(f, 0)
		if f.Close() == nil && err == nil {
			os.Rename(f.Name(), file)
		}
	}
	go func() {
		var buf [1]byte
		n, err := syscall.Read(fd, buf[:])
		for err == syscall.EINTR {
			n, err = syscall.Read(fd, buf[:])
		}
		if n != 0 || err != nil {
			return
		}
		trace.Stop()
		pprof.StopCPUProfile()
		write("block", "blockprofile")
		write("mutex", "mutexprofile")
		runtime.GC()
		write("allocs", "memprofile")
		os.Exit(0)
	}()
}
`

// CompileStoppable is like Compile, with a file added to the package's tests, so that the binary
// can be stopped early and still writes its profiles; see StopPipe. Where that is not possible (on
// Windows, or with a user's overlay) it is Compile, and the binary's Stoppable is false.
func CompileStoppable(ctx context.Context, src Source, pkg Package, out string) (*Binary, error) {
	with, remove, err := src.stoppable(ctx, pkg)
	if err != nil {
		return nil, err
	}
	defer remove()
	if with.Overlay == nil {
		return Compile(ctx, src, pkg, out)
	}
	b, err := Compile(ctx, with, pkg, out)
	if err != nil && ctx.Err() == nil {
		return Compile(ctx, src, pkg, out) // whose error is about the package's own files
	}
	if err != nil {
		return nil, err
	}
	b.Source, b.Stoppable = src, true
	return b, nil
}

// stoppable adds the file to src. Its Overlay is nil where that is not possible.
func (src Source) stoppable(ctx context.Context, pkg Package) (with Source, remove func(), err error) {
	remove = func() {}
	if runtime.GOOS == "windows" || len(src.Overlay) > 0 || pkg.Name == "" {
		return Source{}, remove, nil
	}
	goflags, _, err := src.goCommand(ctx, "env", []string{"GOFLAGS"})
	if err != nil || strings.Contains(string(goflags), "-overlay") ||
		slices.ContainsFunc(src.Flags, func(f string) bool { return strings.Contains(f, "-overlay") }) {
		return Source{}, remove, nil
	}
	file, err := os.CreateTemp("", "whet-stop-*.go")
	if err != nil {
		return Source{}, remove, fmt.Errorf("write a test file: %w", err)
	}
	remove = func() { _ = os.Remove(file.Name()) }
	_, err = fmt.Fprintf(file, stopFile, pkg.Name, stopVariable)
	if err = errors.Join(err, file.Close()); err != nil {
		remove()
		return Source{}, nil, fmt.Errorf("write a test file: %w", err)
	}
	name := ""
	for i := 0; ; i++ {
		name = filepath.Join(pkg.Dir, "whet_stop"+strconv.Itoa(i)+"_test.go")
		if _, err := os.Lstat(name); err != nil { // there is none
			break
		}
	}
	with = src
	with.Overlay = map[string]string{name: file.Name()}
	return with, remove, nil
}

// StopPipe prepares cmd, which must run a Stoppable binary and have its environment set. Calling
// stop makes the process write the profiles that its flags request and exit with status 0; further
// calls do nothing. release frees the rest once the process has ended.
func StopPipe(cmd *exec.Cmd) (stop, release func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("run the benchmarks: %w", err)
	}
	cmd.ExtraFiles = []*os.File{r}
	cmd.Env = append(cmd.Environ(), stopVariable+"=3")
	stop = func() { _ = w.Close() }
	return stop, func() { stop(); _ = r.Close() }, nil
}
