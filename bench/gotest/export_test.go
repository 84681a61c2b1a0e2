package gotest

import (
	"context"
	"time"

	"github.com/whet-go/whet/bench/ab"
)

// Fitting calibrates s and returns the length and the number of slices of the rounds that suit it.
func (s *Subject) Fitting(ctx context.Context, most time.Duration) (time.Duration, int, error) {
	k, err := s.calibrated(ctx, ab.Round{Length: most, Fit: true, CPU: ab.Anywhere}, s.options)
	return k.length(), k.count, err
}

// Garbage returns how often per second the collector runs in a benchmark; 0 means too rarely to
// measure.
func (b *Binary) Garbage(ctx context.Context, name string) (float64, error) {
	return b.garbage(ctx, name, RunOptions{})
}
