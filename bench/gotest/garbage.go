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

// garbage runs a benchmark for a while and returns how often in a second the collector runs
// because of what is allocated, not because package testing asks for it before it measures; 0
// is too seldom to tell.
func (b *Binary) garbage(ctx context.Context, name string, o RunOptions) (rate float64, err error) {
	o.Time = garbageTime
	o.Env = append(slices.Clone(o.Env), "GODEBUG="+withSetting(lastValue(slices.Concat(os.Environ(), b.Source.Env, o.Env), "GODEBUG"), "gctrace=1"))
	res, end, err := b.run(ctx, name, o)
	if err != nil {
		return 0, err
	}
	// What ran before, such as the benchmark's preparations, collects too.
	inside := res.Inside().Seconds()
	from, cycles := res.Wall.Seconds()-inside, 0
	for _, m := range collected.FindAllStringSubmatch(end.errors.String(), -1) {
		if at, err := strconv.ParseFloat(m[1], 64); err == nil && at >= from && !strings.HasSuffix(m[0], "(forced)") {
			cycles++
		}
	}
	if inside > 0 && cycles > 1 { // one may be what the preparations left due
		rate = float64(cycles) / inside
	}
	return rate, nil
}

// garbageTime is how long the benchmark runs for that: several collections, where there are many.
const garbageTime = 25 * time.Millisecond

// collected is a line of GODEBUG=gctrace=1, with the time since the start in seconds.
var collected = regexp.MustCompile(`(?m)^gc \d+ @([\d.]+)s .*$`)

// lastValue is a variable's value in an environment; "" is none.
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
