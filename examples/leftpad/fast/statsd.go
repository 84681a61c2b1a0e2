package fast

import (
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// StatsD sends metrics in the StatsD line protocol, one per packet:
//
//	leftpad.request.leftpad.count:1|c|@0.5
//
// Metrics are lost rather than delayed: a failed write is not reported.
type StatsD struct {
	// Namespace comes first in every metric's name.
	Namespace string
	// SampleRate is the share of the metrics that is sent, above 0 and at most
	// 1. Packets carry it, and the aggregator scales counts up again.
	SampleRate float64
	// Conn takes one packet per write.
	Conn io.Writer
}

// Count adds one to a counter.
func (s *StatsD) Count(name string) { s.send(name, "c", 1) }

// Histogram records one value of a distribution.
func (s *StatsD) Histogram(name string, value float64) { s.send(name, "h", value) }

// Timing records how long something took.
func (s *StatsD) Timing(name string, took time.Duration) {
	s.send(name, "ms", float64(took)/float64(time.Millisecond))
}

// lineSize is the length of most metrics; longer ones need another allocation.
const lineSize = 96

func (s *StatsD) send(name, kind string, value float64) {
	// First, because a line that is not sent need not be built.
	if s.SampleRate < 1 && rand.Float64() >= s.SampleRate {
		return
	}
	line := make([]byte, 0, lineSize)
	line = append(line, s.Namespace...)
	line = append(line, '.')
	line = append(line, reserved.Replace(name)...)
	line = append(line, ':')
	line = strconv.AppendFloat(line, value, 'f', -1, 64)
	line = append(line, '|')
	line = append(line, kind...)
	if s.SampleRate < 1 {
		line = append(line, "|@"...)
		line = strconv.AppendFloat(line, s.SampleRate, 'f', -1, 64)
	}
	_, _ = s.Conn.Write(line)
}

// reserved replaces the characters with a meaning in the protocol. It is safe for
// concurrent use.
var reserved = strings.NewReplacer(":", "_", "|", "_", "@", "_") //nolint:gochecknoglobals // in effect a constant
