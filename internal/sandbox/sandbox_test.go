//go:build linux

package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// dialEnv is the environment variable with an address outside of the sandbox, for the process of TestEnter.
const dialEnv = "WHET_TEST_DIAL"

func TestMain(m *testing.M) {
	if code, ran := Main(os.Args[1:], os.Stderr); ran {
		os.Exit(code)
	}
	if address := os.Getenv(dialEnv); address != "" {
		os.Exit(entered(address))
	}
	os.Exit(m.Run())
}

// entered runs itself in the sandbox, where it exits with code 3 if it can reach only its own
// listeners.
func entered(outside string) int {
	err := Enter("test")
	var ended *EndedError
	if errors.As(err, &ended) {
		fmt.Println("ended")
		return ended.Code
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if _, err := net.Dial("tcp", outside); err == nil {
		fmt.Println("reaches a listener outside")
		return 1
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("inside as", os.Getuid())
	return 3
}

func supported(t *testing.T) {
	t.Helper()
	if err := Supported(); err != nil {
		t.Skip(err)
	}
}

// TestEnter has a separate loopback, and passes the exit code on.
func TestEnter(t *testing.T) {
	supported(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), dialEnv+"="+l.Addr().String())
	out, err := cmd.CombinedOutput()
	want := fmt.Sprintf("inside as %d\nended\n", os.Getuid())
	if string(out) != want || cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("%v: %s", err, out)
	}
}

// TestCommand checks that a command and its children can write only below the directory.
func TestCommand(t *testing.T) {
	supported(t)
	dir, outside := t.TempDir(), t.TempDir()
	there := filepath.Join(outside, "there")
	if err := os.WriteFile(there, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	wrap, err := Command(dir)
	if err != nil {
		t.Fatal(err)
	}
	const script = `
		echo in >in && mkdir sub && mv in sub/in && echo cached $GOCACHE
		echo x >/dev/null && echo null
		(echo out >$OUT/new) || echo new denied
		(echo out >$OUT/there) || echo there denied
		rm $OUT/there || echo rm denied
		mv $OUT/there moved || echo mv denied
		sh -c 'mkdir $OUT/dir' || echo mkdir denied`
	cmd := exec.CommandContext(t.Context(), wrap[0], append(wrap[1:], "sh", "-c", script)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "OUT="+outside)
	out, err := cmd.Output()
	want := "cached " + dir + "/gocache\nnull\nnew denied\nthere denied\nrm denied\nmv denied\nmkdir denied\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
	if text, err := os.ReadFile(there); err != nil || string(text) != "old" {
		t.Error(string(text), err)
	}
}

// TestMainErrors checks that errors name what is missing.
func TestMainErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ args, want string }{
		{argument + " /", "no program"},
		{argument + " /does/not/exist true", "/does/not/exist"},
	} {
		var stderr strings.Builder
		if code, ran := Main(strings.Fields(test.args), &stderr); code != failed || !ran ||
			!strings.Contains(stderr.String(), test.want) {
			t.Errorf("%q: %d, %v, %s", test.args, code, ran, stderr.String())
		}
	}
	if _, ran := Main([]string{"prove"}, nil); ran {
		t.Error("another command ran")
	}
}
