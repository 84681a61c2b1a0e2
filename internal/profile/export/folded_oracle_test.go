package export

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/profile"
)

// TestAgainstPprof compares the formats with go tool pprof's, or with sums over what google/pprof
// decodes, on real profiles: the compiler's own from GOROOT, CPU and heap profiles recorded by the
// test, and the corpus if it is available.
func TestAgainstPprof(t *testing.T) {
	for file, p := range oracletest.NewOracle(t).Profiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Run("folded", func(t *testing.T) { testFoldedOracle(t, file, p) })
			t.Run("raw", func(t *testing.T) { testRawOracle(t, file, p) })
			t.Run("callgrind", func(t *testing.T) { testCallgrindOracle(t, file, p) })
			t.Run("speedscope", func(t *testing.T) { testSpeedscopeAgainstFolded(t, p) })
		})
	}
}

func foldedOf(t *testing.T, v *profile.View) map[string]int64 {
	t.Helper()
	return parseFolded(t, oracletest.WriteString(t, func(b *bytes.Buffer) error { return Folded(b, v) }))
}

func parseFolded(t *testing.T, text string) map[string]int64 {
	t.Helper()
	m := make(map[string]int64)
	for line := range strings.Lines(text) {
		stack, value, ok := oracletest.CutAtLast(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.ParseInt(value, 10, 64)
		if !ok || err != nil {
			t.Fatalf("not a folded line: %q", line)
		}
		if _, twice := m[stack]; twice {
			t.Fatalf("stack is there twice: %q", stack)
		}
		m[stack] = n
	}
	return m
}

func testFoldedOracle(t *testing.T, file string, p *profile.Profile) {
	v := oracletest.Bind(t, p, profile.Query{})
	ref := oracletest.DecodePprof(t, file)
	typ := -1
	for i, st := range ref.SampleType {
		if st.Type == v.Type().Type {
			typ = i
		}
	}
	want := make(map[string]int64)
	var total int64
	for _, s := range ref.Sample {
		var names []string
		for i := len(s.Location) - 1; i >= 0; i-- {
			l := s.Location[i]
			for j := len(l.Line) - 1; j >= 0; j-- {
				names = append(names, foldedEscape(l.Line[j].Function.Name))
			}
			if len(l.Line) == 0 {
				object := ""
				if l.Mapping != nil {
					object = l.Mapping.File
				}
				names = append(names, foldedEscape(nodes.FrameName(profile.Node{Object: object})))
			}
		}
		stack := strings.Join(names, ";")
		if stack == "" {
			stack = "[no stack]"
		}
		want[stack] += s.Value[typ]
		total += s.Value[typ]
		if want[stack] == 0 {
			delete(want, stack)
		}
	}
	got := foldedOf(t, v)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stacks differ (-google/pprof +whet):\n%s", oracletest.ClipText(diff))
	}
	var sum int64
	for _, x := range got {
		sum += x
	}
	if sum != total || sum == 0 {
		t.Errorf("lines add up to %d, the samples to %d", sum, total)
	}
}
