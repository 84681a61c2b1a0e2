// Package stats reports metrics.
package stats

import (
	"bytes"
	"flag"
	"fmt"
	"time"
)

var show = flag.Bool("show", false, "print each metric")

// Count adds to a counter.
func Count(name string, tags map[string]string, n int64) {
	name = tagged(name, tags)
	if *show {
		fmt.Printf("Count: %v = %v\n", name, n)
	}
}

// Gauge sets a gauge.
func Gauge(name string, tags map[string]string, v int64) {
	name = tagged(name, tags)
	if *show {
		fmt.Printf("Gauge: %v = %v\n", name, v)
	}
}

// Time reports a duration.
func Time(name string, tags map[string]string, d time.Duration) {
	name = tagged(name, tags)
	if *show {
		fmt.Printf("Time: %v = %v\n", name, d)
	}
}

// tagged returns name.host.endpoint.os.browser; without the host if it is not known.
func tagged(name string, tags map[string]string) string {
	order := make([]string, 0, 4)
	if _, ok := tags["host"]; ok {
		order = append(order, "host")
	}
	order = append(order, "endpoint", "os", "browser")

	buf := &bytes.Buffer{}
	buf.WriteString(name)
	for _, key := range order {
		buf.WriteByte('.')

		value, ok := tags[key]
		if !ok || value == "" {
			buf.WriteString("no-")
			buf.WriteString(key)
			continue
		}

		writeCleaned(buf, value)
	}

	return buf.String()
}

// writeCleaned replaces characters that have a meaning in names.
func writeCleaned(buf *bytes.Buffer, text string) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '}', '/', '\\', ':', ' ', '\t', '.':
			buf.WriteByte('-')
		default:
			buf.WriteByte(c)
		}
	}
}
