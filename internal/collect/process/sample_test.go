package process

import (
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestTakeSample(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc here")
	}
	var s *Sample
	// The two files are read one after the other, and memory may be released in between.
	for range 20 {
		var err error
		if s, err = TakeSample(os.Getpid()); err != nil {
			t.Fatal(err)
		}
		if ratio := float64(mapped(s)) / float64(s.RSS); ratio >= 0.8 && ratio <= 1.25 {
			break
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if s.RSS < 1<<20 || s.PeakRSS < s.RSS || s.Virtual < s.RSS || s.Threads < 2 {
		t.Errorf("%+v", s)
	}
	if ratio := float64(mapped(s)) / float64(s.RSS); ratio < 0.8 || ratio > 1.25 {
		t.Errorf("smaps sums to %d, RSS is %d", mapped(s), s.RSS)
	}
	if _, err := TakeSample(-1); err == nil {
		t.Error("a process that cannot be: no error")
	}
}

// mapped returns the RSS of all mappings.
func mapped(s *Sample) (sum int64) {
	for _, n := range s.RSSByName {
		sum += n
	}
	return sum
}

func TestSumSmaps(t *testing.T) {
	const smaps = `00400000-00401000 r-xp 00000000 08:01 123   /opt/my server/bin
Size:                  4 kB
Rss:                   4 kB
c000000000-c000400000 rw-p 00000000 00:00 0    [anon: Go: heap]
Rss:                 100 kB
c000400000-c004000000 ---p 00000000 00:00 0    [anon: Go: heap]
Rss:                   8 kB
7f0000000000-7f0000001000 rw-p 00000000 00:00 0
Rss:                  12 kB
VmFlags: rd wr
7f0000002000-7f0000003000 rw-p 00000000 00:00 0
Rss:                   0 kB
`
	want := map[string]int64{"/opt/my server/bin": 4 << 10, "[anon: Go: heap]": 108 << 10, "[anon]": 12 << 10}
	if got := sumSmaps(strings.NewReader(smaps)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
