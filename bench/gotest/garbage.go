package gotest

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// garbage runs a benchmark for a while and returns how often per second the collector runs because
// of allocation, not because package testing calls it before measuring; 0 means too rarely to tell.
func (b *Binary) garbage(ctx context.Context, name string, o RunOptions) (rate float64, err error) {
	o.Time = garbageTime
	o.Env = append(slices.Clone(o.Env),
		"GODEBUG="+withSetting(lastValue(slices.Concat(os.Environ(), b.Source.Env, o.Env), "GODEBUG"), "gctrace=1"))
	res, end, err := b.run(ctx, name, o)
	if err != nil {
		return 0, err
	}
	// The time before, such as the benchmark's set-up, has collections too.
	inside := res.Inside().Seconds()
	from, cycles := res.Wall.Seconds()-inside, 0
	for _, m := range collected.FindAllStringSubmatch(end.errors.String(), -1) {
		if at, err := strconv.ParseFloat(m[1], 64); err == nil && at >= from && !strings.HasSuffix(m[0], "(forced)") {
			cycles++
		}
	}
	if inside > 0 && cycles > 1 { // one may have been due since the set-up
		rate = float64(cycles) / inside
	}
	return rate, nil
}

// garbageTime is how long the benchmark runs for that: several collections, where there are many.
const garbageTime = 25 * time.Millisecond

// collected matches a line of GODEBUG=gctrace=1, with the time since the start in seconds.
var collected = regexp.MustCompile(`(?m)^gc \d+ @([\d.]+)s .*$`)

// lastValue returns a variable's last value in an environment; "" if unset.
func lastValue(env []string, key string) (value string) {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			value = v
		}
	}
	return value
}

func withSetting(settings, more string) string {
	if settings == "" {
		return more
	}
	return settings + "," + more
}
