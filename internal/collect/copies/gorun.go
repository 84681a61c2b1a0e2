package copies

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
)

// A GoRun is a command that the go command builds and runs.
type GoRun struct {
	flags []string // of go build
	main  string   // the package
	args  []string
}

// maxOutput is how much of the go command's output is shown, in bytes.
const maxOutput = 2000

// Parse splits a command of the form go run [FLAGS] PACKAGE [ARGUMENTS].
func Parse(command []string) (*GoRun, error) {
	bad := func(what string) error {
		return &diag.Error{
			Op: "capture", Subject: strings.Join(command, " "), Err: errors.New(what), Kind: diag.Usage,
			Hint: "whet builds the program to copy arguments: write the command as `go run ./cmd/server -addr :8080`, or as " +
				"`go test ./...`",
		}
	}
	if len(command) < 2 || filepath.Base(command[0]) != "go" || command[1] != "run" {
		return nil, bad("the command does not say how the program is built")
	}
	r := &GoRun{}
	rest := command[2:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") && rest[0] != "-" {
		name := strings.TrimLeft(rest[0], "-")
		r.flags = append(r.flags, rest[0])
		rest = rest[1:]
		if strings.Contains(name, "=") || isSwitch(name) {
			continue
		}
		if name == "exec" || name == "overlay" {
			return nil, bad("-" + name + " is not supported with --capture")
		}
		if len(rest) == 0 {
			return nil, bad("-" + name + " has no value")
		}
		r.flags, rest = append(r.flags, rest[0]), rest[1:]
	}
	if len(rest) == 0 || strings.HasSuffix(rest[0], ".go") || strings.Contains(rest[0], "@") {
		return nil, bad("it names no package of this module")
	}
	r.main, r.args = rest[0], rest[1:]
	return r, nil
}

// isSwitch reports whether a flag of go build takes no value.
func isSwitch(name string) bool {
	return slices.Contains([]string{
		"a", "asan", "cover", "json", "linkshared", "modcacherw", "msan", "n", "race", "trimpath", "v", "work", "x",
	}, name)
}

// Build builds the program as it is, or with more flags, to a file.
func (r *GoRun) Build(ctx context.Context, dir, file string, more ...string) error {
	args := slices.Concat([]string{"build"}, r.flags, more, []string{"-o", file, r.main})
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := procgroup.RunGo(cmd); err != nil {
		return &diag.Error{
			Op: "build", Subject: r.main,
			Err:  fmt.Errorf("%w: %s", err, bytes.TrimSpace(out.Bytes()[:min(out.Len(), maxOutput)])),
			Hint: "`go build " + r.main + "` shows the same",
		}
	}
	if isArchive(file) {
		return &diag.Error{
			Op: "build", Subject: r.main, Err: errors.New("not a main package"),
			Hint: "name the package of the program: ./cmd/server",
		}
	}
	return nil
}

// isArchive reports whether a file is what the go command builds of a package that is not a program.
func isArchive(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false // starting it has the error
	}
	defer func() { _ = f.Close() }() // was only read
	const magic = "!<arch>\n"
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}

// Name returns the name of the program's file, which views show.
func (r *GoRun) Name(dir string) string {
	main := r.main
	name := filepath.Base(main)
	if name == "." || name == ".." || strings.HasSuffix(name, "...") {
		if abs, err := filepath.Abs(filepath.Join(dir, main)); err == nil {
			name = filepath.Base(abs)
		}
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// Command returns the command line that runs the program in a file.
func (r *GoRun) Command(file string) []string { return append([]string{file}, r.args...) }

// BuildCopies builds the program to a file, so that it copies calls of functions.
func (r *GoRun) BuildCopies(
	ctx context.Context, dir, file, temp string, rank func(symbol string) int,
) ([]instrument.Left, error) {
	made, err := instrument.Make(ctx, instrument.Options{
		Dir: dir, Packages: []string{r.main}, Flags: r.flags, Rank: rank, Temp: temp,
	})
	if err != nil {
		return nil, err
	}
	return made.Left, r.Build(ctx, dir, file, "-overlay="+made.Overlay)
}
