package collect

import (
	"bytes"
	"net"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"testing"
)

func TestSampleProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc here")
	}
	s, err := sampleProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if s.RSS < 1<<20 || s.PeakRSS < s.RSS || s.Virtual < s.RSS || s.Threads < 2 {
		t.Errorf("%+v", s)
	}
	var sum int64
	for _, n := range s.RSSByName {
		sum += n
	}
	// The two files are read one after the other, so they may differ a little.
	if ratio := float64(sum) / float64(s.RSS); ratio < 0.8 || ratio > 1.25 {
		t.Errorf("smaps sums to %d, RSS is %d", sum, s.RSS)
	}
	if _, err := sampleProcess(-1); err == nil {
		t.Error("a process that cannot be: no error")
	}
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

func TestListeners(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc/net here")
	}
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Logf("%s: %v", addr, err)
			continue
		}
		args := strings.Split(cmdline(os.Getpid()), "\x00")
		if pid := findPID(l.Addr(), args); pid != os.Getpid() {
			t.Errorf("%s: pid %d, want %d", l.Addr(), pid, os.Getpid())
		}
		if pid := findPID(l.Addr(), []string{"another program"}); pid != 0 {
			t.Errorf("%s: pid %d for another program", l.Addr(), pid)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if pid := findPID(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}, os.Args); pid != 0 {
		t.Errorf("a remote address has pid %d", pid)
	}
}

func TestParseHexAddr(t *testing.T) {
	// As the kernel of a little-endian machine writes them.
	if b := [2]byte{1, 0}; *(*uint16)(reflect.ValueOf(&b).UnsafePointer()) != 1 {
		t.Skip("big-endian")
	}
	for in, want := range map[string]string{
		"0100007F:1F90":                         "127.0.0.1:8080",
		"00000000000000000000000001000000:0050": "[::1]:80",
		"0000000000000000FFFF00000100007F:0001": "127.0.0.1:1",
		"00000000000000000000000000000000:FFFF": "[::]:65535",
	} {
		if got, err := parseHexAddr(in); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v, want %s", in, got, err, want)
		}
	}
}

func heapText(t testing.TB) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&buf, 1); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestMemStatsTail(t *testing.T) {
	debug.FreeOSMemory() // at least one collection
	stats, err := memStatsTail(bytes.NewReader(heapText(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Alloc", "TotalAlloc", "Sys", "Mallocs", "HeapInuse", "NumGC", "NextGC"} {
		if memStat(stats, name) <= 0 {
			t.Errorf("%s is %d", name, memStat(stats, name))
		}
	}
	if memStat(stats, "NoSuch") != -1 || bytes.Contains(stats, []byte("heap profile")) {
		t.Errorf("%s", stats)
	}
	if _, err := memStatsTail(strings.NewReader("heap profile: 0: 0")); err == nil {
		t.Error("no statistics: no error")
	}
}

func FuzzMemStatsTail(f *testing.F) {
	f.Add(heapText(f))
	f.Add([]byte("# runtime.MemStats\n# Alloc = 1\n# Stack = 1 / 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		stats, err := memStatsTail(bytes.NewReader(data))
		if err == nil && (len(stats) == 0 || len(stats) > maxMemStats || len(stats) > len(data)) {
			t.Errorf("%d bytes out of %d", len(stats), len(data))
		}
		memStat(stats, "Alloc")
	})
}

func FuzzParseListeners(f *testing.F) {
	if data, err := os.ReadFile("/proc/net/tcp"); err == nil {
		f.Add(string(data))
	}
	f.Add("  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 12345 1")
	f.Fuzz(func(t *testing.T, table string) {
		for _, l := range parseListeners(table) {
			if !l.addr.IsValid() {
				t.Errorf("invalid address out of %q", table)
			}
		}
	})
}
