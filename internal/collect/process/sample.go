package process

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/procfs"
)

// A State is process.json of a recording: the target as the operating system reports it.
type State struct {
	PID   int     `json:"pid"`
	Start *Sample `json:"start,omitempty"` // at the window's start
	End   *Sample `json:"end,omitempty"`   // at its end; nil if the process was gone
}

// A Sample is the state of a process at one time.
type Sample struct {
	Time    time.Time     `json:"time"`
	RSS     int64         `json:"rss_bytes"`
	PeakRSS int64         `json:"peak_rss_bytes"`
	Virtual int64         `json:"virtual_bytes"`
	Threads int           `json:"threads"`
	User    time.Duration `json:"user_ns"`   // CPU time since the process started
	System  time.Duration `json:"system_ns"` // the same, in the kernel
	// RSSByName sums the resident bytes of the mappings by name, such as "[anon: Go: heap]",
	// "[stack]" or a file; nameless ones are "[anon]".
	RSSByName map[string]int64 `json:"rss_by_name,omitempty"`
}

// TakeSample reads /proc/PID. It returns an error on systems without /proc.
func TakeSample(pid int) (*Sample, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	s := &Sample{Time: time.Now()}
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(line, ":")
		f := strings.Fields(value)
		if len(f) == 0 {
			continue
		}
		n, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			continue
		}
		switch key {
		case "VmRSS":
			s.RSS = n << 10
		case "VmHWM":
			s.PeakRSS = n << 10
		case "VmSize":
			s.Virtual = n << 10
		case "Threads":
			s.Threads = int(n)
		}
	}
	stat, err := procfs.ReadStat(pid)
	if err != nil {
		return nil, err
	}
	s.User, s.System = stat.User, stat.System
	// smaps requires the right to trace the process; the rest does not.
	if f, err := os.Open(filepath.Join(dir, "smaps")); err == nil {
		s.RSSByName = sumSmaps(f)
		_ = f.Close()
	}
	return s, nil
}

// sumSmaps sums the Rss lines of smaps by the mapping's name.
func sumSmaps(r io.Reader) map[string]int64 {
	sums := make(map[string]int64)
	name := ""
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		line := sc.Text()
		key, rest, _ := strings.Cut(line, " ")
		if !strings.HasSuffix(key, ":") {
			// "start-end perms offset dev inode   name"
			f := strings.Fields(line)
			name = "[anon]"
			if len(f) > 5 {
				name = strings.Join(f[5:], " ")
			}
			continue
		}
		if key != "Rss:" {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64); err == nil && n > 0 {
			sums[name] += n << 10
		}
	}
	return sums
}
