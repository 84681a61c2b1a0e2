package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// A RequestLine is one request of a trace.
type RequestLine struct {
	Handler   string                   `json:"handler"` // or "task " and the type
	Task      bool                     `json:"task,omitempty"`
	Goroutine int64                    `json:"goroutine"`
	From      time.Duration            `json:"from_ns"` // since the trace's start
	Latency   time.Duration            `json:"latency_ns"`
	Parts     map[string]time.Duration `json:"parts"` // time spent, by cause; they add up to the latency
}

// knownIDs limits the goroutines whose ids are remembered.
const knownIDs = 1 << 16

// RequestLines writes the requests of a trace as lines of JSON, as they are found, without
// critical paths. The memory used does not grow with the number of requests.
func RequestLines(w io.Writer, x *index.Index, o requests.Options) error {
	enc := json.NewEncoder(terminal.JSON(w))
	enc.SetEscapeHTML(false)
	ids := map[uint32]int64{}
	id := func(goroutine uint32) (int64, error) {
		if id, ok := ids[goroutine]; ok {
			return id, nil
		}
		g, err := x.Goroutine(goroutine)
		if err != nil {
			return 0, err
		}
		if len(ids) >= knownIDs {
			clear(ids)
		}
		ids[goroutine] = g.ID
		return g.ID, nil
	}
	var failed error
	o.Paths, o.Slowest = 0, 1
	o.Each = func(class string, r *requests.Request) {
		if failed != nil {
			return
		}
		line := RequestLine{
			Handler: class, Task: strings.HasPrefix(class, "task "), From: time.Duration(r.From),
			Latency: r.Latency(), Parts: map[string]time.Duration{},
		}
		for cause, took := range r.Times {
			if took > 0 {
				line.Parts[requests.Cause(cause).String()] = took
			}
		}
		if line.Goroutine, failed = id(r.Goroutine); failed == nil {
			failed = enc.Encode(line)
		}
	}
	if _, err := requests.Find(x, o); err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("write requests: %w", failed)
	}
	return nil
}
