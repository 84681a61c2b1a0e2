package unit

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bytes is an amount of memory or of data.
type Bytes int64

// String formats b in the largest 1024-based unit in which it is at least one: "512B", "12.50MB".
func (b Bytes) String() string { return Of(int64(b), "bytes").String() }

// Count is a number of samples, objects, goroutines and the like.
type Count int64

// String returns all digits of c.
func (c Count) String() string { return strconv.FormatInt(int64(c), 10) }

// Short formats c in at most four characters and a sign, for narrow columns: "950", "1.2k", "34k",
// "5.6M", "7.8G". The steps are powers of 1000.
func (c Count) Short() string {
	v, sign := float64(c), ""
	if v < 0 {
		v, sign = -v, "-"
	}
	if v < 1000 {
		return c.String()
	}
	for _, step := range []string{"k", "M", "G", "T", "P", "E"} {
		v /= 1000
		if v < 9.95 {
			return sign + strconv.FormatFloat(v, 'f', 1, 64) + step
		}
		if v < 999.5 || step == "E" {
			return sign + strconv.FormatFloat(v, 'f', 0, 64) + step
		}
	}
	return c.String() // not reached: the last step always returns
}

// Duration formats d as pprof does: "1.25s", "340ms", "1.50hrs".
func Duration(d time.Duration) string { return Of(int64(d), "nanoseconds").String() }

// A Quantity is a number whose unit is only known at run time. Unit is a name as in pprof profiles
// ("nanoseconds", "bytes", "count"); singular, plural and short forms are known. An unknown unit is
// kept and follows the number; counts have no unit in text.
type Quantity struct {
	Value int64
	Unit  string
}

// Of returns the quantity of value in unit.
func Of(value int64, unit string) Quantity { return Quantity{value, unit} }

// String formats q in the unit that suits it best.
func (q Quantity) String() string { return q.In("auto") }

// In formats q in the given unit, with at most two decimals: "0.25s", "1.50MB", "12". The unit
// "auto" chooses the largest in which the number is at least one. A unit of another kind than q's
// is replaced by the kind's default (bytes, seconds).
func (q Quantity) In(unit string) string {
	v, u := q.Scale(unit)
	s := strings.TrimSuffix(strconv.FormatFloat(v, 'f', 2, 64), ".00")
	if s == "0" || s == "-0" {
		return "0"
	}
	return s + u
}

// Scale converts q to the given unit, as In does, and returns the number and the unit's short name,
// which is empty for counts.
func (q Quantity) Scale(unit string) (float64, string) {
	if q.Value < 0 && q.Value != math.MinInt64 {
		v, u := Quantity{-q.Value, q.Unit}.Scale(unit)
		return -v, u
	}
	for i := range families {
		if v, u, ok := families[i].convert(q.Value, q.Unit, unit); ok {
			return v, u
		}
	}
	switch unit {
	case "count", "sample", "unit", "auto":
		return float64(q.Value), ""
	}
	return float64(q.Value), printable(unit)
}

// maxUnit bounds the length of a unit's name, in bytes: it follows every value.
const maxUnit = 64

// printable returns a unit from foreign input without control characters.
func printable(name string) string {
	name = name[:min(len(name), maxUnit)]
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, name)
}

// Kind returns what a unit measures: "time", "memory", "gcu" or "count" for everything else.
func Kind(unit string) string {
	for i := range families {
		if families[i].sniff(unit) != nil {
			return families[i].kind
		}
	}
	return "count"
}

// Converts reports whether In can convert a quantity from one unit to another, rather than to a
// default. known are the units that it can convert to; none for counts.
func Converts(from, to string) (ok bool, known []string) {
	for i := range families {
		f := &families[i]
		if f.sniff(from) == nil {
			continue
		}
		for _, s := range f.scales {
			known = append(known, s.name)
		}
		return to == "auto" || f.sniff(to) != nil, known
	}
	return to == "auto", nil
}

// CommonUnit returns the unit for a column whose smallest non-zero and largest absolute values are
// given: the largest unit in which the smallest value is still at least 0.01. go tool pprof chooses
// likewise, but keeps the smallest value's unit while that value is within a hundredth of the
// largest: where it prints 4000ms, whet prints 4s.
func CommonUnit(smallest, largest int64, unit string) string {
	if smallest == 0 || smallest > largest/100 {
		smallest = largest
	} else {
		smallest *= 100
	}
	if _, name := Of(smallest, unit).Scale("auto"); name != "" {
		return name
	}
	return unit
}

// Percent formats part as a percentage of total: "12.34%", "100%" from 99.95 to 100.05, two
// significant digits below 1 ("0.012%"). A total of 0 gives "0%". Unlike go tool pprof's, the text
// keeps the sign of a negative part, which a difference of profiles has.
func Percent(part, total int64) string {
	return FormatPercent(Share(part, total) * 100)
}

// Share returns part/total, 0 when total is 0. The sign is part's.
func Share(part, total int64) float64 {
	if total == 0 {
		return 0
	}
	return float64(part) / math.Abs(float64(total))
}

// FormatPercent formats a percentage as Percent does.
func FormatPercent(percent float64) string {
	abs := math.Abs(percent)
	sign := ""
	if percent < 0 {
		sign = "-"
	}
	switch {
	case abs >= 99.95 && abs <= 100.05:
		return sign + "100%"
	case abs >= 1:
		return sign + strconv.FormatFloat(abs, 'f', 2, 64) + "%"
	case abs == 0:
		return "0%"
	}
	return sign + strconv.FormatFloat(abs, 'g', 2, 64) + "%"
}

// ParseBytes parses an amount of memory: a number with an optional unit, "512", "64kB", "1.5GB",
// "2GiB". Units are 1024-based; case does not matter.
func ParseBytes(s string) (Bytes, error) {
	t := strings.TrimSpace(s)
	split := len(t)
	for split > 0 && (t[split-1] < '0' || t[split-1] > '9') {
		split--
	}
	number, name := t[:split], strings.ToLower(strings.TrimSpace(t[split:]))
	name = strings.Replace(name, "ib", "b", 1)
	if len(name) == 1 && name != "b" {
		name += "b"
	}
	if name == "" {
		name = "b"
	}
	v, err := strconv.ParseFloat(number, 64)
	u := families[0].sniff(name)
	if err != nil || u == nil || v < 0 || math.IsNaN(v) || v*u.factor >= math.MaxInt64 {
		return 0, &ParseError{Text: s}
	}
	return Bytes(v * u.factor), nil
}

// A ParseError is ParseBytes's error for a text that is not an amount of memory.
type ParseError struct{ Text string }

// Error quotes the text and shows what is accepted.
func (e *ParseError) Error() string {
	return strconv.Quote(e.Text) + " is not a size (want a number and a unit, as in 512MB or 2GB)"
}

// ParseShare parses a share of a whole, a percentage such as "2%" or a fraction such as "0.02". It
// returns a fraction from 0 to 1.
func ParseShare(s string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, errors.New("want a percentage such as 2% or 0.02")
	}
	return v, nil
}

// A scale is one unit of a family.
type scale struct {
	name    string
	aliases []string
	factor  float64
}

// A family is the units of one kind. Values that are too small for autoscaling
// are written in the fallback.
type family struct {
	kind     string
	scales   []scale
	fallback scale
}

// families lists the units that pprof profiles use. It is never modified.
var families = [...]family{
	{
		kind: "memory",
		scales: []scale{
			{"B", []string{"b", "byte"}, 1},
			{"kB", []string{"kb", "kbyte", "kilobyte"}, 1 << 10},
			{"MB", []string{"mb", "mbyte", "megabyte"}, 1 << 20},
			{"GB", []string{"gb", "gbyte", "gigabyte"}, 1 << 30},
			{"TB", []string{"tb", "tbyte", "terabyte"}, 1 << 40},
			{"PB", []string{"pb", "pbyte", "petabyte"}, 1 << 50},
		},
		fallback: scale{"B", nil, 1},
	},
	{
		kind: "time",
		scales: []scale{
			{"ns", []string{"ns", "nanosecond"}, 1},
			{"us", []string{"μs", "us", "microsecond"}, 1e3},
			{"ms", []string{"ms", "millisecond"}, 1e6},
			{"s", []string{"s", "sec", "second"}, 1e9},
			{"hrs", []string{"hour", "hr"}, 3600e9},
		},
		fallback: scale{"s", nil, 1e9},
	},
	{
		kind: "gcu",
		scales: []scale{
			{"n*GCU", []string{"nanogcu"}, 1e-9},
			{"u*GCU", []string{"microgcu"}, 1e-6},
			{"m*GCU", []string{"milligcu"}, 1e-3},
			{"GCU", []string{"gcu"}, 1},
			{"k*GCU", []string{"kilogcu"}, 1e3},
			{"M*GCU", []string{"megagcu"}, 1e6},
			{"G*GCU", []string{"gigagcu"}, 1e9},
			{"T*GCU", []string{"teragcu"}, 1e12},
			{"P*GCU", []string{"petagcu"}, 1e15},
		},
		fallback: scale{"GCU", nil, 1},
	},
}

// sniff finds a unit by any of its names, in singular or plural and any case;
// nil when the family does not have it.
func (f *family) sniff(unit string) *scale {
	unit = strings.ToLower(unit)
	if utf8.RuneCountInString(unit) > 2 {
		unit = strings.TrimSuffix(unit, "s")
	}
	for i := range f.scales {
		for _, a := range f.scales[i].aliases {
			if a == unit {
				return &f.scales[i]
			}
		}
	}
	return nil
}

// convert returns value in the unit to; ok is false when from is not of this
// family.
func (f *family) convert(value int64, from, to string) (v float64, name string, ok bool) {
	src := f.sniff(from)
	if src == nil {
		return 0, "", false
	}
	v = float64(value) * src.factor
	dst := &f.fallback
	if to == "auto" {
		best := 0.0
		for i := range f.scales {
			if s := &f.scales[i]; s.factor >= best && v/s.factor >= 1 {
				best, dst = s.factor, s
			}
		}
	} else if s := f.sniff(to); s != nil {
		dst = s
	}
	return v / dst.factor, dst.name, true
}
