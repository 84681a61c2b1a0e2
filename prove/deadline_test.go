package prove

import (
	"context"
	"testing"
	"time"
)

// TestUntilDeadline divides what remains, and leaves limits alone without a deadline.
func TestUntilDeadline(t *testing.T) {
	t.Parallel()
	if d := untilDeadline(t.Context(), time.Minute, 0.5, 4); d != time.Minute {
		t.Errorf("without a deadline: %v", d)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, test := range []struct {
		most     time.Duration
		n        int
		low, top time.Duration
	}{
		{time.Minute, 1, time.Minute, time.Minute},
		{0, 1, 29 * time.Minute, 30 * time.Minute},
		{time.Hour, 3, 9 * time.Minute, 10 * time.Minute},
		{time.Hour, 1 << 40, leastTime, leastTime},
	} {
		if d := untilDeadline(ctx, test.most, 0.5, test.n); d < test.low || d > test.top {
			t.Errorf("at most %v, %d parts: %v, want %v to %v", test.most, test.n, d, test.low, test.top)
		}
	}
}
