package pprof

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// provideDot puts a dot command that runs program, with "dot" as its first argument, on the search
// path, where the driver looks for Graphviz. It does nothing if Graphviz is installed. The returned
// function removes the command.
func provideDot(program string) (remove func(), err error) {
	nothing := func() {}
	if _, err := exec.LookPath("dot"); err == nil || program == "" {
		return nothing, nil
	}
	dir, err := os.MkdirTemp("", "whet-dot-")
	if err != nil {
		return nothing, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // a leftover is in the system's temporary directory
	name, script := "dot", fmt.Sprintf("#!/bin/sh\nexec %s dot \"$@\"\n", quote(program))
	if runtime.GOOS == "windows" {
		name, script = "dot.bat", fmt.Sprintf("@\"%s\" dot %%*\r\n", program)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		remove()
		return nothing, err
	}
	if err := os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
		remove()
		return nothing, err
	}
	return remove, nil
}

// quote returns s as one word of the POSIX shell.
func quote(s string) string {
	out := []byte{'\''}
	for i := range len(s) {
		if s[i] == '\'' {
			out = append(out, `'\'`...)
		}
		out = append(out, s[i])
	}
	return string(append(out, '\''))
}
