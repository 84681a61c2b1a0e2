package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Int is an int64, which JSON has as a string. Numbers are read, too.
type Int int64

// MarshalJSON writes a string.
func (i Int) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.FormatInt(int64(i), 10) + `"`), nil
}

// UnmarshalJSON reads a string or a number without a fraction.
func (i *Int) UnmarshalJSON(data []byte) error {
	text := string(bytes.Trim(data, `"`))
	if text == "null" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(text, 64)
		if ferr != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return fmt.Errorf("%.40s is not a whole number", data)
		}
		n = int64(f)
	}
	*i = Int(n)
	return nil
}

// Uint is a uint64, which JSON has as a string. It is only written.
type Uint uint64

// MarshalJSON writes a string.
func (u Uint) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.FormatUint(uint64(u), 10) + `"`), nil
}

// Format is a ProfileFormat: how a merged profile is wanted.
type Format int32

// The formats.
const (
	FormatUnspecified Format = iota // a flame graph
	FormatFlamegraph
	FormatTree
	FormatDot
	FormatPprof
)

// UnmarshalJSON reads a name or a number.
func (f *Format) UnmarshalJSON(data []byte) error {
	return enum((*int32)(f), data, "PROFILE_FORMAT_UNSPECIFIED", "PROFILE_FORMAT_FLAMEGRAPH", "PROFILE_FORMAT_TREE",
		"PROFILE_FORMAT_DOT", "PROFILE_FORMAT_PPROF")
}

// Aggregation is a TimeSeriesAggregationType: how the values of a step become one.
type Aggregation int32

// The aggregations.
const (
	Sum Aggregation = iota
	Average
)

// UnmarshalJSON reads a name or a number.
func (a *Aggregation) UnmarshalJSON(data []byte) error {
	return enum((*int32)(a), data, "TIME_SERIES_AGGREGATION_TYPE_SUM", "TIME_SERIES_AGGREGATION_TYPE_AVERAGE")
}

// ExemplarType is the type of wanted exemplars.
type ExemplarType int32

// The types of exemplars.
const (
	ExemplarUnspecified ExemplarType = iota
	ExemplarNone
	ExemplarIndividual
	ExemplarSpan
)

// UnmarshalJSON reads a name or a number.
func (e *ExemplarType) UnmarshalJSON(data []byte) error {
	return enum((*int32)(e), data, "EXEMPLAR_TYPE_UNSPECIFIED", "EXEMPLAR_TYPE_NONE", "EXEMPLAR_TYPE_INDIVIDUAL",
		"EXEMPLAR_TYPE_SPAN")
}

// HeatmapType is a HeatmapQueryType: what is counted.
type HeatmapType int32

// What may be counted.
const (
	HeatmapUnspecified HeatmapType = iota
	HeatmapIndividual              // profiles
	HeatmapSpan                    // spans
)

// UnmarshalJSON reads a name or a number.
func (h *HeatmapType) UnmarshalJSON(data []byte) error {
	return enum((*int32)(h), data, "HEATMAP_QUERY_TYPE_UNSPECIFIED", "HEATMAP_QUERY_TYPE_INDIVIDUAL",
		"HEATMAP_QUERY_TYPE_SPAN")
}

// enum reads the name of a value, or its number.
func enum(into *int32, data []byte, names ...string) error {
	var name string
	if json.Unmarshal(data, &name) == nil {
		i := slices.Index(names, name)
		if i < 0 {
			return fmt.Errorf("unknown value %.40q (want one of %q)", name, names)
		}
		*into = int32(i)
		return nil
	}
	return json.Unmarshal(data, into)
}
