package memstats

import (
	"bytes"
	"maps"
	"testing"
)

// FuzzParse parses what any program may respond.
func FuzzParse(f *testing.F) {
	f.Add([]byte("# runtime.MemStats\n# Alloc = 5\n# NextGC = 4194304\n# PauseNs = [1 2 3]\n# GCCPUFraction = 0.001\n"))
	f.Add([]byte("# NumGC = 99999999999999999999\n"))
	f.Add([]byte(" = \n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		values, err := Parse(text)
		if (err == nil) != (len(values) > 0) {
			t.Errorf("%d values, %v", len(values), err)
		}
		again, _ := Parse(append(bytes.Clone(text), '\n'))
		if !maps.Equal(values, again) {
			t.Errorf("%v with a line's end, %v without", again, values)
		}
	})
}

func TestParse(t *testing.T) {
	values, err := Parse(
		[]byte("# runtime.MemStats\n# Alloc = 5\n# NextGC = 4194304\n# PauseNs = [1 2 3]\n# GCCPUFraction = 0.001\n"))
	if err != nil || !maps.Equal(values, map[string]int64{"Alloc": 5, "NextGC": 4194304}) {
		t.Errorf("%v, %v", values, err)
	}
	if values, err := Parse(nil); values != nil || err != nil {
		t.Errorf("of nothing: %v, %v", values, err)
	}
	if _, err := Parse([]byte("<html>")); err == nil {
		t.Error("a page is read")
	}
}
