package cut_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/exp/trace"
	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/trace/cut"
)

// eventNames are the events of the text form of traces, by their numbers.
func eventNames() map[string]byte {
	names := map[string]byte{}
	for i, name := range strings.Fields(`None EventBatch Stacks Stack Strings String CPUSamples CPUSample Frequency
		ProcsChange ProcStart ProcStop ProcSteal ProcStatus
		GoCreate GoCreateSyscall GoStart GoDestroy GoDestroySyscall GoStop GoBlock GoUnblock GoSyscallBegin GoSyscallEnd GoSyscallEndBlocked GoStatus
		STWBegin STWEnd GCActive GCBegin GCEnd GCSweepActive GCSweepBegin GCSweepEnd GCMarkAssistActive GCMarkAssistBegin GCMarkAssistEnd HeapAlloc HeapGoal
		GoLabel UserTaskBegin UserTaskEnd UserRegionBegin UserRegionEnd UserLog GoSwitch GoSwitchDestroy GoCreateBlocked GoStatusStack ExperimentalBatch
		Sync ClockSnapshot EndOfGeneration`) {
		names[name] = byte(i)
	}
	return names
}

// encode converts a trace from the text form used by the tests of golang.org/x/exp/trace.
func encode(t testing.TB, text string) []byte {
	t.Helper()
	names := eventNames()
	var out []byte
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "\t")
		line = strings.TrimSpace(line)
		if version, ok := strings.CutPrefix(line, "Trace Go"); ok {
			out = fmt.Appendf(out, "go %s trace\x00\x00\x00", version)
			continue
		}
		if data, ok := strings.CutPrefix(line, "data="); ok && indented {
			s, err := strconv.Unquote(data)
			if err != nil {
				t.Fatal(err)
			}
			out = append(binary.AppendUvarint(out, uint64(len(s))), s...)
			continue
		}
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if !indented {
			number, ok := names[fields[0]]
			if !ok {
				t.Fatalf("event %q is not known", line)
			}
			out, fields = append(out, number), fields[1:]
		}
		for _, f := range fields {
			_, value, _ := strings.Cut(f, "=")
			v, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			out = binary.AppendUvarint(out, v)
		}
	}
	return out
}

// examples returns the readable traces of the tests of golang.org/x/exp/trace: those of Go 1.22,
// 1.23 and 1.25.
func examples(t testing.TB) map[string][]byte {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/exp").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	names, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "trace/testdata/tests/*.test"))
	if err != nil || len(names) == 0 {
		t.Skipf("golang.org/x/exp has no traces: %v", err)
	}
	all := map[string][]byte{}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := "", false
		for _, f := range archive.Files {
			if f.Name == "trace" {
				text = string(f.Data)
			}
			ok = ok || f.Name == "expect" && strings.HasPrefix(string(f.Data), "SUCCESS")
		}
		if ok {
			all[strings.TrimSuffix(filepath.Base(name), ".test")] = encode(t, text)
		}
	}
	return all
}

// TestVersions cuts traces of all versions of Go whose traces have generations.
func TestVersions(t *testing.T) {
	small, err := os.ReadFile("../testdata/go1.26.trace")
	if err != nil {
		t.Fatal(err)
	}
	all := examples(t)
	all["go126"] = small
	versions := map[string]bool{}
	for name, data := range all {
		var out bytes.Buffer
		result, err := cut.Cut(t.Context(), &out, bytes.NewReader(data), cut.Options{})
		if err != nil || !bytes.Equal(out.Bytes(), data) || result.Damage != "" {
			t.Errorf("%s: the whole is not the same: %+v, %v", name, result, err)
			continue
		}
		versions[result.Go] = true
		// Any end results in a readable trace.
		for i := range int64(8) {
			out.Reset()
			to := int64(result.To)*i/8 + 1
			part, err := cut.Cut(t.Context(), &out, bytes.NewReader(data), cut.Options{To: to})
			if err != nil {
				t.Errorf("%s up to %d: %v", name, to, err)
				continue
			}
			if n := len(events(t, out.Bytes())); n > len(events(t, data)) || !part.Whole && int64(part.To) > to+1_000_000 {
				t.Errorf("%s up to %d: %+v, %d events", name, to, part, n)
			}
		}
	}
	for _, v := range []string{"1.22", "1.23", "1.25", "1.26"} {
		if !versions[v] {
			t.Errorf("no trace of Go %s was cut", v)
		}
	}
}

// TestErrors checks the errors for traces and windows that cannot be cut.
func TestErrors(t *testing.T) {
	small, err := os.ReadFile("../testdata/go1.26.trace")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		data    string
		options cut.Options
		want    string
	}{
		{"", cut.Options{}, "not an execution trace"},
		{"hello, this is text", cut.Options{}, "not an execution trace"},
		{"go 1.21 trace\x00\x00\x00", cut.Options{}, "one piece"},
		{"go 1.24 trace\x00\x00\x00", cut.Options{}, "no version of Go writes"},
		{"go 1.99 trace\x00\x00\x00", cut.Options{}, "up to Go 1.26"},
		{"go 1.26 trace\x00\x00\x00", cut.Options{}, "it is empty"},
		{"go 1.26 trace\x00\x00\x00\x07", cut.Options{}, "byte 17: unknown batch kind 7"},
		{string(small[:len(small)-1]), cut.Options{}, "within a generation"},
		{string(small), cut.Options{From: 3600e9}, "the trace ends at"},
		{string(small), cut.Options{From: 2, To: 1}, "want an end after the start"},
	} {
		var out bytes.Buffer
		_, err := cut.Cut(t.Context(), &out, strings.NewReader(test.data), test.options)
		if err == nil || !strings.Contains(err.Error(), test.want) || out.Len() > 0 {
			t.Errorf("%.20q: %v, want %q", test.data, err, test.want)
		}
	}
	var version *cut.VersionError
	if _, err := cut.Cut(t.Context(), io.Discard, strings.NewReader("go 1.11 trace\x00\x00\x00"),
		cut.Options{}); !errors.As(err, &version) || version.Hint() == "" {
		t.Errorf("%v has no cure", err)
	}
}

// TestDamaged cuts a trace of two generations, the second of which is truncated.
func TestDamaged(t *testing.T) {
	data, ok := examples(t)["go125-sync"]
	if !ok {
		t.Fatal("the trace is not there any more")
	}
	var out bytes.Buffer
	result, err := cut.Cut(t.Context(), &out, bytes.NewReader(data[:len(data)-1]), cut.Options{})
	if err != nil || result.Damage == "" || result.Generations == 0 || !bytes.HasPrefix(data, out.Bytes()) {
		t.Errorf("%+v, %v", result, err)
	}
}

// FuzzCut cuts any bytes: the result can be cut again, and then remains the same.
func FuzzCut(f *testing.F) {
	small, err := os.ReadFile("../testdata/go1.26.trace")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small, int64(0), int64(1000))
	for _, data := range examples(f) {
		if len(data) < 4000 {
			f.Add(data, int64(0), int64(20))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, from, to int64) {
		var out, again bytes.Buffer
		result, err := cut.Cut(t.Context(), &out, bytes.NewReader(data), cut.Options{From: from, To: to})
		if err != nil {
			return
		}
		if out.Len() > 2*len(data)+64 {
			t.Fatalf("%d bytes of %d", out.Len(), len(data))
		}
		if _, err := cut.Cut(t.Context(), &again, bytes.NewReader(out.Bytes()), cut.Options{}); err != nil ||
			!bytes.Equal(out.Bytes(), again.Bytes()) {
			t.Fatalf("%+v, cut again: %v", result, err)
		}
		if !result.Whole && result.Skipped == 0 && to > 0 {
			if _, err := trace.NewReader(&out); err != nil {
				t.Fatal(err)
			}
		}
	})
}
