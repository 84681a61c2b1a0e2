package main

import "testing"

func BenchmarkStatsD(b *testing.B) {
	metrics := Metrics{Prefix: "service", Sample: 0.5}
	for i := 0; i < b.N; i++ {
		metrics.Count("requests")
	}
}
