// Package stats reports metrics.
package stats

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
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
	var order []string
	if _, ok := tags["host"]; ok {
		order = append(order, "host")
	}
	order = append(order, "endpoint", "os", "browser")

	words := []string{name}
	for _, key := range order {
		value, ok := tags[key]
		if !ok || value == "" {
			words = append(words, "no-"+key)
			continue
		}
		words = append(words, cleaned(value))
	}

	return strings.Join(words, ".")
}

var reserved = regexp.MustCompile(`[{}/\\:\s.]`)

// cleaned replaces characters that have a meaning in names.
func cleaned(text string) string {
	return reserved.ReplaceAllString(text, "-")
}
