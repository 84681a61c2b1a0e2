package mcp

import (
	"strings"
	"testing"
)

// TestCaptureRate has the share of the CPU time that a client allows copying: a percentage above 0, up to 100.
func TestCaptureRate(t *testing.T) {
	rate := func(percent float64) *float64 { return &percent }
	for _, test := range []struct {
		in   recordInput
		want float64
		err  string
	}{
		{recordInput{Package: ".", Capture: "hot"}, 0, ""}, // the default
		{recordInput{Package: ".", Capture: "hot", Rate: rate(5)}, 0.05, ""},
		{recordInput{Bench: ".", Capture: `\.F$`, Rate: rate(0.5)}, 0.005, ""},
		{recordInput{Package: ".", Capture: "hot", Rate: rate(100)}, 1, ""},
		{recordInput{Package: ".", Capture: "hot", Rate: rate(0)}, 0, "capture_rate is 0 (want above 0"},
		{recordInput{Package: ".", Capture: "hot", Rate: rate(101)}, 0, "capture_rate is 101 (want above 0"},
		{recordInput{Package: ".", Rate: rate(1)}, 0, "no effect without capture"},
	} {
		o, err := test.in.capture()
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%+v: %v, want %q", test.in, err, test.err)
			}
			continue
		}
		if err != nil || o.Share != test.want || (o.Functions == nil) != (test.in.Capture == "hot") {
			t.Errorf("%+v: %+v, %v, want a share of %v", test.in, o, err, test.want)
		}
	}
}
