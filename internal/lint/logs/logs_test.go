package logs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestBytes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	problems, err := Bytes(t.Context(), filepath.Join("..", "..", ".."), "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// TestPlantedBytes expects each line that is marked to be found, and no other.
func TestPlantedBytes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	dir := t.TempDir()
	const source = `package planted

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
)

type file struct {
	name string
	data []byte
}

type named []byte

func (n named) String() string { return string(n) }

func Test(t *testing.T) {
	b := []byte("text")
	t.Errorf("%d: %v", 1, b) // found
	t.Errorf("%*d %+v %%v", 5, 1, b) // found
	t.Error("got", b) // found
	t.Fatal(file{}) // found
	t.Logf("%v", &file{}) // found
	t.Logf("%v", [][]byte{b}) // found
	t.Logf("%v", map[string]file{}) // found
	t.Logf("%v", json.RawMessage(b)) // found
	var tb testing.TB = t
	tb.Log(b) // found
	fmt.Fprintf(os.Stderr, "%v", b) // found
	_ = fmt.Sprint(b) // found
	_ = fmt.Errorf("%v: %w", b, errors.ErrUnsupported) // found
	t.Errorf("%s %q %x %d %#v %v", b, b, b, b, b, string(b))
	t.Errorf("%v %v %v", named(b), net.IPv4zero, []any{1})
	t.Log(string(b), len(b), []int{1}, []*file{})
	args := []any{b}
	t.Log(args...)
	var f *testing.F
	f.Add(b)
	_, _ = fmt.Sscan("x", &b)
}
`
	for name, text := range map[string]string{
		"go.mod":          "module example.com/planted\n\ngo 1.26\n",
		"planted_test.go": source,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	problems, err := Bytes(t.Context(), dir, "./...")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, p := range problems {
		parts := strings.Split(p.Where, ":")
		got = append(got, parts[0]+":"+parts[1])
	}
	for i, line := range strings.Split(source, "\n") {
		if strings.HasSuffix(line, "// found") {
			want = append(want, "planted_test.go:"+strconv.Itoa(i+1))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}
