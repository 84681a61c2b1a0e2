package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/whet-go/whet/internal/diag"
)

// Schema is the schema of Comparison as JSON.
const Schema = "whet.bench-compare/2"

// A Warning is something that the reader of a result must know.
type Warning = diag.Warning

// Warnings are the warnings of a result.
type Warnings = diag.Warnings

// A Comparison compares files of benchmark results.
type Comparison struct {
	Schema     string   `json:"schema"`
	Alpha      float64  `json:"alpha"`      // a change is significant up to this p value
	Confidence float64  `json:"confidence"` // of intervals, as a share: 0.95
	Tables     []Table  `json:"tables"`
	Warnings   Warnings `json:"warnings,omitempty"` // about the inputs, each with its file and line
}

// A Field is a configuration key with its value, such as goos and linux.
type Field struct {
	Key   string `json:"key"`
	Value string `json:"value"` // "" when the results do not have the key
}

// A Table is the results of one unit and one configuration.
type Table struct {
	Config    []Field  `json:"config"` // what the results of the table have in common
	Unit      string   `json:"unit"`   // tidied: sec/op, B/op, allocs/op, B/s
	Better    string   `json:"better,omitempty"`
	Statistic string   `json:"statistic"` // what a center is: median, mean or exact
	Columns   []Column `json:"columns"`   // the others are compared with the first
	Rows      []Row    `json:"rows"`
	Geomean   []Mean   `json:"geomean"` // one for each column
	// Unpaired are the rows that lack some column.
	Unpaired []Unpaired `json:"unpaired,omitempty"`
}

// Values of Table.Better; "" means unknown.
const (
	Lower  = "lower"
	Higher = "higher"
)

// A Column is one side of a comparison.
type Column struct {
	Name   string  `json:"name"` // the values of Fields, separated by blanks
	Fields []Field `json:"fields"`
}

// A Row is a benchmark. It has as many Cells as the table has columns; nil where there are no
// results.
type Row struct {
	Name  string  `json:"name"`
	Cells []*Cell `json:"cells"`
}

// A Cell holds the measurements of a benchmark on one side.
type Cell struct {
	N      int   `json:"n"` // measurements
	Center Float `json:"center"`
	// Low and High bound the confidence interval; infinite when there are too few
	// measurements for one.
	Low  Float `json:"low"`
	High Float `json:"high"`
	// Range is the larger distance of the bounds from the center in percent, as benchstat writes
	// it: "2%", "∞" without an interval, "?" across zero.
	Range    string   `json:"range"`
	Change   *Change  `json:"change,omitempty"` // nil in the first column and when that has no results
	Warnings Warnings `json:"warnings,omitempty"`
	// Values are the measurements in the order of the inputs. If there are more than MaxValues,
	// there are MaxValues of them, picked evenly by rank, with the least and the largest; N is the
	// original number.
	Values []float64 `json:"values,omitempty"`
}

// MaxValues is the largest number of measurements of a cell in a Comparison.
const MaxValues = 1000

// A Change compares a cell with the cell of the first column.
type Change struct {
	// Delta is the relative difference of the centers, 0.01 for 1%, whether or not it is
	// significant. It is not finite when only the first center is zero.
	Delta Float `json:"delta"`
	// P is the probability of a difference like this or larger if both sides had the same
	// distribution. It is also 0 if exact values differ.
	P float64 `json:"p"`
	// Adjusted is P adjusted for the number of comparisons in the table; see Adjust.
	Adjusted float64 `json:"adjusted_p"`
	// Significant reports whether P is at most Alpha, benchstat's criterion.
	Significant bool `json:"significant"`
	// Holds reports whether Adjusted is at most Alpha. Of the changes that hold, at most the share
	// Alpha is expected to be false.
	Holds bool `json:"holds"`
	// Text is the difference as benchstat writes it: "-1.23%", "~" when it is not significant, "?"
	// when the first center is zero.
	Text     string   `json:"text"`
	BaseN    int      `json:"base_n"` // measurements of the first column
	Warnings Warnings `json:"warnings,omitempty"`
}

// A Mean is the geometric mean of a column: Center of the centers, Delta of the ratios to the first
// column, minus 1, which stays meaningful when the sides have different benchmarks. nil means that
// the mean does not exist.
type Mean struct {
	Center   *Float   `json:"center"`
	Delta    *Float   `json:"delta"`
	Warnings Warnings `json:"warnings,omitempty"`
}

// An Unpaired is a benchmark that some columns lack.
type Unpaired struct {
	Row   string   `json:"row"`
	In    []string `json:"in"`     // names of columns
	NotIn []string `json:"not_in"` // names of columns
}

// Float is a number whose JSON is a string when it is not finite: "+Inf", "-Inf" or
// "NaN".
type Float float64

// MarshalJSON writes f, as a string when it is not finite.
func (f Float) MarshalJSON() ([]byte, error) {
	if v := float64(f); !math.IsInf(v, 0) && !math.IsNaN(v) {
		return json.Marshal(v)
	}
	return json.Marshal(strconv.FormatFloat(float64(f), 'g', -1, 64))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Float) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		text = string(data)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("parse number %s: %w", data, err)
	}
	*f = Float(v)
	return nil
}
