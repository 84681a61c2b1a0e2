package load

import (
	"fmt"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/load/worker"
	"github.com/whet-go/whet/unit"
)

// EngineChoice explains which engine a run used, and why.
type EngineChoice struct {
	Why EngineWhy `json:"why"`
	// Text is the reason in words.
	Text string `json:"text"`
	// At is when the comparison was decided, counted from the start of the run, warm-up included; 0
	// when there was no comparison.
	At time.Duration `json:"at_ns,omitempty"`
	// Measured holds what each engine did in its windows; empty when engines were not compared. All
	// requests are requests of the run: none is sent for the comparison alone.
	Measured []EngineMeasure `json:"measured,omitempty"`
}

// EngineWhy is the kind of reason for an engine.
type EngineWhy string

// Reasons for an engine.
const (
	EngineRequested EngineWhy = "asked"    // by Options.Engine
	EngineMeasured  EngineWhy = "measured" // it did better in this run
	EngineOnly      EngineWhy = "only"     // engines preferred over it do not work here
	EngineDefault   EngineWhy = "default"  // they were not compared
)

// EngineMeasure is what an engine did in the windows of a comparison.
type EngineMeasure struct {
	Engine        Engine        `json:"engine"`
	Windows       int           `json:"windows"`
	Elapsed       time.Duration `json:"elapsed_ns"`
	Rate          float64       `json:"rate"`               // answers per second: the median over the windows
	RateError     float64       `json:"rate_error"`         // standard error of Rate
	CPUPerRequest time.Duration `json:"cpu_per_request_ns"` // of the measuring thread
}

// engineChoice converts the choice of the workers.
func engineChoice(c worker.Choice) *EngineChoice {
	out := &EngineChoice{Why: EngineWhy(c.Why), Text: c.Text, At: c.At}
	for _, m := range c.Measured {
		out.Measured = append(out.Measured, EngineMeasure{
			Engine: Engine(m.Engine), Windows: m.Windows, Elapsed: m.Elapsed, Rate: m.Rate, RateError: m.RateError,
			CPUPerRequest: m.CPUPerRequest,
		})
	}
	return out
}

// String returns one line: why the run used its engine, and the measurements.
func (c *EngineChoice) String() string {
	var b strings.Builder
	b.WriteString(c.Text)
	if len(c.Measured) > 0 {
		b.WriteString(" (")
		for i, m := range c.Measured {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s %.0f/s at %s", m.Engine, m.Rate, unit.Duration(m.CPUPerRequest))
		}
		fmt.Fprintf(&b, ", %d windows each)", c.Measured[0].Windows)
	}
	return b.String()
}
