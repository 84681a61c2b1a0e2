package differ

import "testing"

// TestTimeWasUp distinguishes go test's own failure from one that an input caused.
func TestTimeWasUp(t *testing.T) {
	t.Parallel()
	const late = "fuzz: elapsed: 5s, execs: 75809 (21257/sec), new interesting: 0 (total: 660)\n--- FAIL: " +
		"FuzzWhetDiffer1 (5.14s)\n    context deadline exceeded\nexit status 1\nFAIL\texample.com/m\t5.147s\n"
	const differs = "--- FAIL: FuzzWhetDiffer1 (0.02s)\n    --- FAIL: FuzzWhetDiffer1 (0.00s)\n        d_test.go:9: " +
		"F(nil): context deadline exceeded, was nil\n    \n    Failing input written to testdata/fuzz/FuzzWhetDiffer1/1234\n"
	for _, tt := range []struct {
		name, out string
		want      bool
	}{
		{"the time was up", late, true},
		{"an input", differs, false},
		{"an input, and then the time was up", differs + late, false},
		{"it does not build", "./a.go:3:2: undefined: x\n", false},
	} {
		if got := timeWasUp(tt.out); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
