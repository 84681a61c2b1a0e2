package main

import (
	"bytes"
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

var replaceReserved = strings.NewReplacer(":", "_", "|", "_", "@", "_")

// Emit writes one metric.
func (m *Metrics) Emit(name string, unit string, value float64) {
	line := bytes.Buffer{}
	line.WriteString(m.Prefix)
	line.WriteByte('.')
	line.WriteString(replaceReserved.Replace(name))
	line.WriteByte(':')
	line.Write(strconv.AppendFloat(make([]byte, 0, 24), value, 'f', -1, 64))
	line.WriteByte('|')
	line.WriteString(unit)
	if m.Sample != 0 && m.Sample < 1 {
		line.WriteString("|@")
		line.Write(strconv.AppendFloat(make([]byte, 0, 24), m.Sample, 'f', -1, 64))
	}
	line.WriteTo(ioutil.Discard) // in place of a socket
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
