package gogc

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/find/rules"
)

func TestJudge(t *testing.T) {
	program := func(command bool, collecting float64, heap *rules.Heap) *rules.Program {
		return &rules.Program{Command: command, CPU: time.Second, Heap: heap, Collecting: collecting}
	}
	for _, test := range []struct {
		name    string
		p       *rules.Program
		setting string // "" is no finding
		saving  float64
		says    string
	}{
		{
			"small", program(true, 0.20, &rules.Heap{Goal: 8 << 20, Collections: 31}), "GOGC=400", 0.15,
			"20 percent of the CPU time; the heap is collected when it reaches 8 MiB, 31 times in this recording; " +
				"with this setting that would be at 20 MiB",
		},
		{
			"least", program(true, 0.20, &rules.Heap{Goal: 4 << 20}), "GOGC=400", 0.15,
			"when it reaches 4 MiB; with this setting that would be at 16 MiB",
		},
		{
			"medium", program(true, 0.20, &rules.Heap{Goal: 1 << 30}), "GOGC=200", 0.10,
			"when it reaches 1024 MiB; with this setting that would be at 1536 MiB",
		},
		{"large", program(true, 0.20, &rules.Heap{Goal: 3 << 30}), "", 0, ""},
		{"unknown", program(true, 0.20, nil), "GOGC=200", 0.10, "was not recorded"},
		{"little", program(true, 0.09, &rules.Heap{Goal: 8 << 20}), "", 0, ""},
		{"a test", program(false, 0.20, &rules.Heap{Goal: 8 << 20}), "", 0, ""},
	} {
		v := judge(test.p)
		if test.setting == "" && len(v) == 0 {
			continue
		}
		if len(v) != 1 || v[0].Setting.String() != test.setting ||
			math.Abs(v[0].Saving-test.saving) > 1e-9 ||
			!strings.Contains(v[0].Message, test.says) ||
			New().Cause(v[0].Category) == nil {
			t.Errorf("%s: %+v, want %s", test.name, v, test.setting)
		}
	}
}
