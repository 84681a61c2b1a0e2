package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/source/objfile"
)

// TestDisasmFindsTheBuild checks each source of code: the file that the profile names, --binary,
// and the recording.
func TestDisasmFindsTheBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a program")
	}
	goroot(t) // skips without a go command
	dir := t.TempDir()
	binary, cpu := filepath.Join(dir, "burn"), filepath.Join(dir, "burn.cpu")
	const program = "../profile/oracletest/testdata/burn"
	for _, cmd := range []*exec.Cmd{
		exec.CommandContext(t.Context(), "go", "build", "-o", binary, program),
		exec.CommandContext(t.Context(), binary, dir),
		// Another build of the same program.
		exec.CommandContext(t.Context(), "go", "build", "-gcflags=-N -l", "-o", binary+".other", program),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	t.Chdir(t.TempDir()) // nothing to find here

	const match, want = `main\.walk`, "ROUTINE ======================== main.walk\n"
	code, stdout, stderr := runWhet(t, "disasm", match, cpu)
	if code != 0 || !strings.Contains(stdout, want) || !strings.Contains(stdout, "code of "+binary) {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	same := stdout

	// The binary that the profile names was replaced by another build.
	moved := binary + ".moved"
	rename(t, binary, moved)
	rename(t, binary+".other", binary)
	code, stdout, stderr = runWhet(t, "disasm", match, cpu)
	if code != 1 || stdout != "" || !strings.Contains(stderr, binary+" is another build") ||
		!strings.Contains(stderr, "hint: --binary FILE") {
		t.Errorf("another build: exit %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = runWhet(t, "disasm", "--binary", moved, match, cpu)
	if code != 0 || stdout != strings.ReplaceAll(same, "code of "+binary, "code of "+moved) {
		t.Errorf("--binary: exit %d\n%s%s", code, stdout, stderr)
	}
	code, _, stderr = runWhet(t, "disasm", "--binary", moved, `^main\.mix$`, cpu)
	if code != 1 || !strings.Contains(stderr, "are inlined everywhere") ||
		!strings.Contains(stderr, "hint: they are inlined into main.") {
		t.Errorf("an inlined function: exit %d\n%s", code, stderr)
	}
	code, _, stderr = runWhet(t, "disasm", "--binary", moved+".not", match, cpu)
	missing := "whet: --binary: open binary " + moved + ".not: no such file or directory\n"
	if code != 1 || !strings.HasSuffix(stderr, missing) {
		t.Errorf("no binary: exit %d\n%s", code, stderr)
	}
	_, _, stderr = runWhet(t, "disasm", "--binary", binary, match, cpu)
	if !strings.Contains(stderr, "warning: "+binary+" is another build than the profile's") {
		t.Errorf("--binary of another build: %s", stderr)
	}

	// A recording contains the code.
	whet := filepath.Join(dir, "burn.whet")
	recordCode(t, whet, moved, cpu)
	code, stdout, stderr = runWhet(t, "disasm", match, whet)
	if code != 0 || stdout != strings.ReplaceAll(same, "code of "+binary, "code of the recording") {
		t.Errorf("recording: exit %d\n%s%s", code, stdout, stderr)
	}

	// The examples of the help, with files of this program under their names. The file that the
	// profile names is found in this directory by its name and build ID.
	for from, to := range map[string]string{moved: "leftpad", cpu: "cpu.pb.gz", whet: "demo.whet"} {
		copyFile(t, from, to)
	}
	copyFile(t, moved, filepath.Base(binary))
	_, help, _ := runWhet(t, "disasm", "--help")
	for _, example := range exampleLines(help) {
		code, stdout, stderr := runWhet(t, shellFields(example)[1:]...)
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit %d\n%s%s", example, code, stdout, stderr)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// recordCode writes a recording of a CPU profile with the code of its functions.
func recordCode(t *testing.T, path, binary, cpu string) {
	t.Helper()
	data, err := os.ReadFile(cpu)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(data, profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := objfile.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	var addrs []uint64
	for _, l := range p.Locations {
		addrs = append(addrs, l.Address)
	}
	code, err := objfile.ExtractCode(b, addrs)
	if err != nil {
		t.Fatal(err)
	}
	w, err := recording.Create(path, recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AddRawProfile("cpu", data, recording.Part{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(recording.Part{Name: recording.CodePart, Kind: recording.KindJSON}, code); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(recording.Meta{}); err != nil {
		t.Fatal(err)
	}
}
