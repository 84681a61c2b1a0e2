package wire

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseTime reads a time of a parameter: RFC 3339, "now", "now-1h", or the time since 1970 in seconds, milliseconds,
// microseconds or nanoseconds, which its size shows.
func ParseTime(text string, now time.Time) (time.Time, error) {
	if text == "now" {
		return now, nil
	}
	if ago, ok := strings.CutPrefix(text, "now-"); ok {
		if d, err := time.ParseDuration(ago); err == nil && d >= 0 {
			return now.Add(-d), nil
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		switch {
		case n < 1e11: // seconds until the year 5138
			return time.Unix(n, 0), nil
		case n < 1e14:
			return time.UnixMilli(n), nil
		case n < 1e17:
			return time.UnixMicro(n), nil
		}
		return time.Unix(0, n), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%.40q is not a time (want RFC 3339, the time since 1970, or now-1h)", text)
}
