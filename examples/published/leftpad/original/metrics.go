package main

import (
	"fmt"
	"io/ioutil"
	"strconv"
	"strings"
	"time"
)

// Metrics writes metrics in the text protocol of StatsD.
type Metrics struct {
	Prefix string
	Sample float64
}

// Emit writes one metric.
func (m *Metrics) Emit(name string, unit string, value float64) {
	line := fmt.Sprintf("%s.", m.Prefix)
	clean := strings.NewReplacer(":", "_", "|", "_", "@", "_").Replace(name)
	line += fmt.Sprintf("%s:%s|%s", clean, value, unit)
	if m.Sample != 0 && m.Sample < 1 {
		line += fmt.Sprintf("|@%s", strconv.FormatFloat(m.Sample, 'f', -1, 64))
	}
	ioutil.Discard.Write([]byte(line)) // in place of a socket
}

// Count adds one to a counter.
func (m *Metrics) Count(name string) {
	m.Emit(name, "c", 1)
}

// Observe adds a value to a histogram.
func (m *Metrics) Observe(name string, value float64) {
	m.Emit(name, "h", value)
}

// Time reports a duration in milliseconds.
func (m *Metrics) Time(name string, d time.Duration) {
	m.Emit(name, "ms", d.Seconds()*1000)
}
