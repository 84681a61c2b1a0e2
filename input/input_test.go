package input_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording/recordingtest"
)

func writeSmall(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cpu.pb.gz")
	if err := os.WriteFile(file, small(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestOpenSources opens the same profile from a file, an address, standard input and a recording,
// and checks that the totals are equal.
func TestOpenSources(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/debug/pprof/profile" || r.URL.Query().Get("seconds") != "10" || r.Header.Get("X-Key") != "1" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(small())
	}))
	defer server.Close()
	p, err := profile.Parse(small(), profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec := filepath.Join(t.TempDir(), "r.whet")
	recordingtest.Write(t, rec, nil, recordingtest.Profile{Name: "cpu", Profile: p})
	var status []string
	for _, arg := range []string{writeSmall(t), server.URL, "-", rec} {
		o := &input.Opener{
			Stdin: bytes.NewReader(small()), Header: http.Header{"X-Key": {"1"}},
			Status: func(text string) { status = append(status, text) },
		}
		in, err := o.Open(t.Context(), []string{arg}, input.Options{})
		if err != nil {
			t.Errorf("%s: %v", arg, err)
			continue
		}
		if got := in.View.Total(); got != 3e9 || !in.Own.Known || (in.Recording != nil) != (arg == rec) {
			t.Errorf("%s: total %d, own %+v, recording %v", arg, got, in.Own, in.Recording)
		}
		in.Close()
	}
	if len(status) != 1 || !strings.Contains(status[0], "for 10s") {
		t.Errorf("status %q", status)
	}
}

// TestOpenMerges adds up several arguments and subtracts a base.
func TestOpenMerges(t *testing.T) {
	file := writeSmall(t)
	for _, tt := range []struct {
		args []string
		opt  input.Options
		want int64
	}{
		{[]string{file, file}, input.Options{}, 6e9},
		{[]string{file, file}, input.Options{Base: []string{file}}, 3e9},
		{[]string{file}, input.Options{Type: "samples"}, 300},
		{[]string{file, file}, input.Options{DiffBase: []string{file}, Normalize: true}, 0},
	} {
		in, err := new(input.Opener).Open(t.Context(), tt.args, tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for s := range in.View.Stacks() {
			sum += in.Profile.Value(s.Sample, in.View.Query().Type)
		}
		if sum != tt.want {
			t.Errorf("%+v: sum %d, want %d", tt.opt, sum, tt.want)
		}
		in.Close()
	}
}

// TestOpenErrors checks that invalid arguments are usage errors with hints.
func TestOpenErrors(t *testing.T) {
	file := writeSmall(t)
	for _, tt := range []struct {
		name  string
		args  []string
		opt   input.Options
		stdin bool
		usage bool
		want  string
	}{
		{"none", nil, input.Options{}, false, true, "no profile given"},
		{"missing", []string{file + ".gone"}, input.Options{}, false, false, "no such file"},
		{"no stdin", []string{"-"}, input.Options{}, false, true, "standard input is not available"},
		{"stdin twice", []string{"-", "-"}, input.Options{}, true, true, "only once"},
		{"stdin as base", []string{"-"}, input.Options{Base: []string{"-"}}, true, true, "only once"},
		{
			"both bases",
			[]string{file},
			input.Options{Base: []string{file}, DiffBase: []string{file}},
			false, true, "mutually exclusive",
		},
		{"normalize alone", []string{file}, input.Options{Normalize: true}, false, true, "--normalize needs"},
		{"type", []string{file}, input.Options{Type: "inuse_space"}, false, true, "inuse_space"},
		{"unit", []string{file}, input.Options{Unit: "MB"}, false, true, `--unit "MB"`},
	} {
		o := &input.Opener{Op: "top"}
		if tt.stdin {
			o.Stdin = bytes.NewReader(small())
		}
		_, err := o.Open(t.Context(), tt.args, tt.opt)
		if err == nil || !strings.Contains(err.Error(), tt.want) || (diag.ExitCode(err) == 2) != tt.usage {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestDocument checks that texts, profiles and recordings are distinguished, and that requests that
// would stop a service are refused.
func TestDocument(t *testing.T) {
	o := &input.Opener{Stdin: strings.NewReader("goroutine 1 [running]:\nmain.main()\n")}
	d, err := o.Document(t.Context(), "-", nil)
	if err != nil || !d.Text || d.Recording != nil || d.Name != "standard input" {
		t.Errorf("dump: %+v, %v", d, err)
	}
	d.Close()
	if d, err = o.Document(t.Context(), writeSmall(t), nil); err != nil || d.Text {
		t.Errorf("profile: %+v, %v", d, err)
	}
	d.Close()
	_, err = o.Document(t.Context(), "http://localhost/debug/pprof/goroutine?debug=2", nil)
	if e := (*diag.Error)(nil); !errors.As(err, &e) || e.Kind != diag.Usage ||
		!strings.Contains(e.Error(), "stops the world") {
		t.Errorf("debug=2: %v", err)
	}
}
