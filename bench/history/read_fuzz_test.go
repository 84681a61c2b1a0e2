package history_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/whet-go/whet/bench/history"
)

// FuzzRead expects a report or an error for any text, and JSON that can be read back. A NUL
// separates two runs.
func FuzzRead(f *testing.F) {
	head := "commit: abcdef123456\ncommit-time: 2026-01-02T03:00:00Z\n"
	f.Add(head + "BenchmarkA-8 1 10 ns/op 0 B/op\n\x00commit: bbbbbb123456\ncommit-time: " +
		"2026-01-03T03:00:00Z\nBenchmarkA-8 1 11 ns/op -1 B/op\n")
	f.Add(head + "base-commit: 1234\ntoolchain: baseline\nBenchmarkA 1 10 ns/op\ntoolchain: experiment\nBenchmarkA 1 " +
		"1e308 ns/op 0 x\n\x00" + head + "dirty: true\nBenchmarkA 1 1e-308 ns/op\n")
	f.Add("commit:\ncommit-time: x\nUnit x better=higher\nBenchmark-8 1 1 x\n")
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		name := "20260102T030000Z-abcdef123456.txt"
		for i, r := range text {
			if r == 0 {
				write(t, filepath.Join(dir, "20260102T030000Z-abcdef123456-2.txt"), text[i+1:])
				text = text[:i]
				break
			}
		}
		write(t, filepath.Join(dir, name), text)
		// A directory that is not a repository, so that git knows nothing about the commits.
		report, err := history.Read(t.Context(), dir, history.Options{Repository: dir})
		if err != nil {
			return
		}
		for i := range report.Series {
			gates := []history.Gate{
				{Text: "x", Unit: report.Series[i].Unit, Relative: true, Limit: 0.1},
				{Text: "y", Unit: report.Series[i].Unit},
			}
			if err := report.Check(gates); err != nil {
				t.Fatal(err)
			}
		}
		data, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, new(history.Report)); err != nil {
			t.Fatal(err)
		}
	})
}
