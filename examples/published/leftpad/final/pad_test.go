package main

import "testing"

func benchmarkPad(b *testing.B, width int) {
	for i := 0; i < b.N; i++ {
		pad("test", width, '*')
	}
}

func BenchmarkLeftpad10(b *testing.B) {
	benchmarkPad(b, 10)
}

func BenchmarkLeftpad50(b *testing.B) {
	benchmarkPad(b, 50)
}
