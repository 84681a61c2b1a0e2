package memory

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Stats is runtime.MemStats as printed by heap?debug=1. PauseTotalNs and the size classes are not
// printed and stay zero.
type Stats struct {
	runtime.MemStats
	// MaxRSS is the peak resident size of the process in bytes; 0 if the platform or an old runtime
	// does not print it.
	MaxRSS uint64
}

// ErrNoMemStats is returned for a text without runtime.MemStats.
var ErrNoMemStats = errors.New("no runtime.MemStats (want the response of /debug/pprof/heap?debug=1)")

// maxStatsLine is the maximum length of a line: the longest, PauseEnd, has 256 numbers of at most
// 20 digits.
const maxStatsLine = 64 << 10

// ParseMemStats reads the lines "# Name = value" from heap?debug=1. It skips the profile before
// them and unknown lines. It returns an error if one of the values that an account requires is
// missing, which wraps [ErrNoMemStats], or is not a number.
func ParseMemStats(r io.Reader) (*Stats, error) {
	var (
		s    Stats
		seen = make(map[string]bool)
		br   = bufio.NewReaderSize(r, maxStatsLine)
	)
	for n := 1; ; n++ {
		line, err := br.ReadSlice('\n')
		tooLong := errors.Is(err, bufio.ErrBufferFull)
		if bytes.HasPrefix(line, []byte("# ")) && !tooLong {
			name, value, ok := strings.Cut(strings.TrimSpace(string(line[2:])), " = ")
			if ok {
				known, perr := s.set(name, value)
				if perr != nil {
					return nil, fmt.Errorf("parse runtime.MemStats, line %d: %s: %w", n, name, perr)
				}
				if known {
					seen[name] = true
				}
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil && !tooLong {
			return nil, fmt.Errorf("read runtime.MemStats, line %d: %w", n, err)
		}
	}
	for _, name := range []string{
		"Sys", "HeapAlloc", "HeapSys", "HeapIdle", "HeapInuse",
		"HeapReleased", "Stack", "NumGC",
	} {
		if !seen[name] {
			if len(seen) == 0 {
				return nil, fmt.Errorf("parse memory statistics: %w", ErrNoMemStats)
			}
			return nil, fmt.Errorf("parse memory statistics: %w (no %s; truncated?)", ErrNoMemStats, name)
		}
	}
	return &s, nil
}

// set stores one value. known is false for names that are not used.
func (s *Stats) set(name, value string) (known bool, err error) {
	pair := func(inuse, sys *uint64) error {
		a, b, ok := strings.Cut(value, " / ")
		if !ok {
			return fmt.Errorf("%q (want two numbers)", value)
		}
		if err := parseBytes(a, inuse); err != nil {
			return err
		}
		return parseBytes(b, sys)
	}
	switch name {
	case "Stack":
		return true, pair(&s.StackInuse, &s.StackSys)
	case "MSpan":
		return true, pair(&s.MSpanInuse, &s.MSpanSys)
	case "MCache":
		return true, pair(&s.MCacheInuse, &s.MCacheSys)
	case "PauseNs":
		return true, parseRing(value, &s.PauseNs)
	case "PauseEnd":
		return true, parseRing(value, &s.PauseEnd)
	case "NumGC", "NumForcedGC":
		n, err := strconv.ParseUint(value, 10, 32)
		if err != nil {
			return true, numError(value, err)
		}
		if name == "NumGC" {
			s.NumGC = uint32(n)
		} else {
			s.NumForcedGC = uint32(n)
		}
		return true, nil
	case "GCCPUFraction":
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || f != f || f < -1 || f > 1 {
			return true, fmt.Errorf("%q is not a fraction", value)
		}
		s.GCCPUFraction = max(f, 0) // the runtime may print a tiny negative number
		return true, nil
	case "DebugGC":
		s.DebugGC = value == "true"
		return true, nil
	case "MaxRSS":
		return true, parseBytes(value, &s.MaxRSS)
	case "Alloc", "TotalAlloc", "Sys", "Lookups", "Mallocs", "Frees", "HeapAlloc", "HeapSys", "HeapIdle", "HeapInuse",
		"HeapReleased", "HeapObjects", "BuckHashSys", "GCSys", "OtherSys", "NextGC", "LastGC":
		f := reflect.ValueOf(&s.MemStats).Elem().FieldByName(name)
		return true, parseBytes(value, f.Addr().Interface().(*uint64))
	}
	return false, nil
}

// parseBytes parses a size. Those of one process fit in 63 bits, as sums must.
func parseBytes(text string, dst *uint64) error {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return numError(text, err)
	}
	*dst = n
	return nil
}

func numError(text string, err error) error {
	var ne *strconv.NumError
	if errors.As(err, &ne) {
		err = ne.Err
	}
	return fmt.Errorf("%.40q: %w", text, err)
}

func parseRing(value string, dst *[256]uint64) error {
	f := strings.Fields(strings.Trim(value, "[]"))
	if len(f) != len(dst) {
		return fmt.Errorf("%d numbers (want %d)", len(f), len(dst))
	}
	for i := range f {
		if err := parseBytes(f[i], &dst[i]); err != nil {
			return err
		}
	}
	return nil
}

// A pause is one garbage collection from PauseNs and PauseEnd.
type pause struct {
	length time.Duration
	end    time.Time
}

// pauses returns the collections after number since that the ring still contains, oldest first.
func (s *Stats) pauses(since uint32) []pause {
	if since >= s.NumGC {
		return nil
	}
	n := min(s.NumGC-since, uint32(len(s.PauseNs)))
	out := make([]pause, 0, n)
	for i := s.NumGC - n + 1; ; i++ {
		at := (i + 255) % 256
		out = append(out, pause{clampDuration(s.PauseNs[at]), time.Unix(0, int64(min(s.PauseEnd[at], 1<<63-1)))})
		if i == s.NumGC {
			return out
		}
	}
}

func clampDuration(ns uint64) time.Duration { return time.Duration(min(ns, 1<<63-1)) }
