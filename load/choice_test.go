package load

import (
	"testing"
	"time"
)

// TestEngineChoiceText expects the numbers in the text.
func TestEngineChoiceText(t *testing.T) {
	c := EngineChoice{Text: "why", Measured: []EngineMeasure{
		{Engine: IOUring, Rate: 50_000.4, CPUPerRequest: 8 * time.Microsecond, Windows: 16},
		{Engine: Epoll, Rate: 40_000, CPUPerRequest: 10 * time.Microsecond, Windows: 16},
	}}
	if got, want := c.String(), "why (io_uring 50000/s at 8us, epoll 40000/s at 10us, 16 windows each)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
