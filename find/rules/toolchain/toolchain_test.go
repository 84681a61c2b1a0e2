package toolchain

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/find/rules"
)

func TestJudge(t *testing.T) {
	// Half of the time collects garbage, a tenth decodes JSON, a tenth is in maps.
	share := func(re *regexp.Regexp) float64 {
		for name, s := range map[string]float64{
			"runtime.gcBgMarkWorker": 0.5, "encoding/json.Unmarshal": 0.1, "runtime.mapaccess2_faststr": 0.1,
		} {
			if re.MatchString(name) {
				return s
			}
		}
		return 0
	}
	program := func(with, newest string, experiments ...string) rules.Program {
		return rules.Program{
			Command: true, CPU: time.Second, Share: share, Go: with, Newest: newest,
			Settings: map[string]string{"GOEXPERIMENT": strings.Join(experiments, ",")},
		}
	}
	library := program("go1.25.3", "go1.27.4")
	library.Command = false
	const maps, garbage, decode = 0.1 * 0.375, 0.5 * 0.4, 0.1 * 2 / 3
	for _, test := range []struct {
		name string
		p    rules.Program
		want float64
	}{
		{"all three", program("go1.23.1", "go1.27.4"), maps + garbage + decode},
		{"the last two", program("go1.25.3", "go1.27.4"), garbage + decode},
		{"one release", program("go1.26.8", "go1.27.4"), decode},
		{"an older whet", program("go1.25.3", "go1.26.8"), garbage},
		{"the experiment is on already", program("go1.25.3", "go1.27.4", "greenteagc", "jsonv2"), 0},
		{"a newer patch of the same release", program("go1.27.1", "go1.27.4"), 0},
		{"a newer program", program("go1.27.4", "go1.26.8"), 0},
		{"a release candidate of whet", program("go1.26.8", "go1.27rc1"), 0},
		{"a whet from a repository", program("go1.26.8", "devel go1.28-abc"), 0},
		{"not known", program("", "go1.27.4"), 0},
		{"a test binary", library, 0},
	} {
		v := judge(&test.p)
		if test.want == 0 && len(v) == 0 {
			continue
		}
		if len(v) != 1 || math.Abs(v[0].Saving-test.want) > 1e-9 ||
			v[0].Setting.String() != "GOTOOLCHAIN="+test.p.Newest ||
			New().Cause(v[0].Category) == nil {
			t.Errorf("%s: %+v, want a saving of %v", test.name, v, test.want)
		}
	}
}
