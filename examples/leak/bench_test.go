package main

import (
	"bytes"
	"testing"
)

// BenchmarkAdd10000 fills a new history each time: a single one would take all memory.
func BenchmarkAdd10000(b *testing.B) {
	event := bytes.Repeat([]byte("."), eventSize)
	b.ReportAllocs()
	for b.Loop() {
		var h history
		for range 10_000 {
			if err := h.Add(event); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkLast(b *testing.B) {
	var h history
	event := bytes.Repeat([]byte("."), eventSize)
	for range 2 * maxLast {
		if err := h.Add(event); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		h.Last(10)
	}
}
