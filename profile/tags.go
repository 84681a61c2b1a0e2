package profile

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// tagFilter is a compiled TagFocus or TagIgnore: [KEY=]VALUE, where VALUE is either a range of
// numbers with units (128kB, 128kB:, :1MB, 1ms:2s) or regular expressions separated by commas.
// Without KEY it applies to all labels, text ones as "key:value", and each expression must match
// one; with KEY any expression may match any of its values.
type tagFilter struct {
	p     *Profile
	key   string
	rng   *tagRange
	exprs []*regexp.Regexp
	units map[string]string // per numeric key
}

type tagRange struct {
	low, high       float64
	hasLow, hasHigh bool
	family          unitFamily
}

type unitFamily string

// scale returns how much one of a unit is in its family's base unit (bytes, nanoseconds); each
// unknown unit is a separate family.
func scale(unit string) (float64, unitFamily) {
	u := strings.ToLower(unit)
	if len(u) > 2 {
		u = strings.TrimSuffix(u, "s")
	}
	switch u {
	case "b", "byte":
		return 1, "bytes"
	case "kb", "kilobyte", "kibibyte", "kbyte":
		return 1 << 10, "bytes"
	case "mb", "megabyte", "mebibyte", "mbyte":
		return 1 << 20, "bytes"
	case "gb", "gigabyte", "gibibyte", "gbyte":
		return 1 << 30, "bytes"
	case "tb", "terabyte", "tebibyte", "tbyte":
		return 1 << 40, "bytes"
	case "pb", "petabyte", "pebibyte", "pbyte":
		return 1 << 50, "bytes"
	case "ns", "nanosecond":
		return 1, "time"
	case "us", "µs", "microsecond":
		return 1e3, "time"
	case "ms", "millisecond":
		return 1e6, "time"
	case "s", "sec", "second":
		return 1e9, "time"
	case "min", "minute":
		return 60e9, "time"
	case "hr", "hour":
		return 3600e9, "time"
	case "day":
		return 86400e9, "time"
	}
	return 1, unitFamily(unit)
}

// newTagFilter compiles a filter; it is nil for "".
func newTagFilter(p *Profile, s string) (*tagFilter, error) {
	if s == "" {
		return nil, nil
	}
	f := &tagFilter{p: p}
	if key, value, ok := strings.Cut(s, "="); ok {
		f.key, s = key, value
	}
	var err error
	if f.rng, err = parseTagRange(s); err != nil {
		return nil, err
	}
	if f.rng != nil {
		f.units = p.labelUnits()
		return f, nil
	}
	for expr := range strings.SplitSeq(s, ",") {
		re, err := regexp.Compile(expr)
		if err != nil {
			return nil, err
		}
		f.exprs = append(f.exprs, re)
	}
	return f, nil
}

// parseTagRange returns nil if s is not a range.
func parseTagRange(s string) (*tagRange, error) {
	low, high, isRange := strings.Cut(s, ":")
	if !isRange {
		high = low
	}
	r := &tagRange{}
	for i, side := range []string{low, high} {
		if side == "" {
			continue
		}
		n := len(side) - len(strings.TrimLeft(side, "+-0123456789"))
		digits, unit := side[:n], side[n:]
		x, err := strconv.ParseInt(digits, 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			return nil, fmt.Errorf("number %q is out of range", digits)
		}
		if err != nil || strings.ContainsFunc(unit,
			func(c rune) bool { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != 'µ' }) {
			return nil, nil
		}
		factor, family := scale(unit)
		if i == 1 && r.hasLow && family != r.family {
			return nil, fmt.Errorf("range %q mixes %q and %q", s, r.family, family)
		}
		r.family = family
		if i == 0 {
			r.low, r.hasLow = float64(x)*factor, true
		} else {
			r.high, r.hasHigh = float64(x)*factor, true
		}
	}
	if !r.hasLow && !r.hasHigh {
		return nil, nil
	}
	return r, nil
}

func (r *tagRange) contains(x int64, unit string) bool {
	factor, family := scale(unit)
	v := float64(x) * factor
	switch {
	case r.family == "": // a bare number is in the label's own unit
		v = float64(x)
	case family != r.family:
		return false
	}
	return (!r.hasLow || v >= r.low) && (!r.hasHigh || v <= r.high)
}

// labelUnits returns the unit of each numeric label: the one that a sample gives, else bytes for
// the keys known to count them, else the key itself, as in Go's heap profiles ("bytes").
func (p *Profile) labelUnits() map[string]string {
	units := make(map[string]string)
	for _, l := range p.labels {
		if l.str != 0 {
			continue
		}
		key := p.strings[l.key]
		if u := units[key]; u == "" {
			units[key] = p.strings[l.unit]
		}
	}
	for key, u := range units {
		if u != "" {
			continue
		}
		units[key] = key
		if key == "alignment" || key == "request" {
			units[key] = "bytes"
		}
	}
	return units
}

// match reports whether sample i passes.
func (f *tagFilter) match(i int) bool {
	p := f.p
	labels := p.labelRun(i)
	if f.rng != nil {
		for _, l := range labels {
			key := p.strings[l.key]
			if l.str == 0 && (f.key == "" || key == f.key) && f.rng.contains(l.num, f.units[key]) {
				return true
			}
		}
		return false
	}
	for _, re := range f.exprs {
		hit := false
		for _, l := range labels {
			if l.str == 0 {
				continue
			}
			key, value := p.strings[l.key], p.strings[l.str]
			if f.key == "" {
				hit = hit || re.MatchString(key+":"+value)
			} else if key == f.key {
				hit = hit || re.MatchString(value)
			}
		}
		if hit && f.key != "" {
			return true
		}
		if !hit && f.key == "" {
			return false
		}
	}
	return f.key == ""
}
