package micro

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
)

// letter is a text of about a kilobyte. The benchmarks search for words in its second half.
var letter = strings.Repeat("The parcel left the depot in the morning and has not been seen since. ", 9) +
	"Its sender, the auctor of this letter, asks after order 4711. " +
	strings.Repeat("No one at the counter could say where it went, or why. ", 7)

// names are not constants for the compiler, like the texts of a service.
var names = []string{"Ada", "Grace", "Käthe", "a name that is longer than others"}

func BenchmarkSubstring(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		HasWord(letter)
	}
}

func BenchmarkPattern(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		HasOrder(letter)
	}
}

func BenchmarkPrint(b *testing.B) {
	var buf bytes.Buffer
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		buf.Reset()
		Label(&buf, names[i%len(names)])
	}
}

func BenchmarkConvert(b *testing.B) {
	var buf bytes.Buffer
	var recent Recent
	word := []byte("marker")
	b.ReportAllocs()
	for b.Loop() {
		buf.Reset()
		recent.Write(&buf, word)
	}
}

func BenchmarkSend(b *testing.B) {
	w := bufio.NewWriter(io.Discard)
	b.ReportAllocs()
	for b.Loop() {
		if err := Send(w, letter); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	var words [][]byte
	for _, name := range names {
		words = append(words, []byte(name))
	}
	var counts Counts
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		counts.Add(words[i%len(words)])
	}
}

func BenchmarkJoin(b *testing.B) {
	elements := []string{"first part", "second part", "third part", "fourth part", "fifth part"}
	b.ReportAllocs()
	for b.Loop() {
		Join(elements, ";")
	}
}

func BenchmarkPad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Pad("test", 50, '*')
	}
}

func BenchmarkNumber(b *testing.B) {
	var buf bytes.Buffer
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		buf.Reset()
		Number(&buf, float64(i%1000)/8)
	}
}

func BenchmarkLengths(b *testing.B) {
	words := strings.Fields(letter)
	b.ReportAllocs()
	for b.Loop() {
		Lengths(words)
	}
}
