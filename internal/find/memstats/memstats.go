package memstats

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Parse parses lines in the form of the heap profile's text format, "# Name = value", and
// returns the integer values by name; nil for an empty text.
func Parse(text []byte) (map[string]int64, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // no statistics are no error
	}
	values := map[string]int64{}
	for line := range bytes.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimPrefix(string(line), "# "), " = ")
		if !ok {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil {
			values[strings.TrimSpace(name)] = n
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("there is no line such as # NumGC = 3 in %d bytes", len(text))
	}
	return values, nil
}
