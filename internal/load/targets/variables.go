package targets

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/load"
)

// MaxRows is the number of rows that a table of variables may have.
const MaxRows = 1_000_000

// ReadVariables reads a CSV table (RFC 4180, as [csv.Reader] reads it) whose first line holds the
// names. Spaces around names are dropped, values are kept as they are. Names that are empty, appear
// twice or have braces, rows of a different length and a table without rows are errors.
func ReadVariables(r io.Reader) (*load.Variables, error) {
	name := nameOf(r, "", "variables")
	data, err := readAll(r, name)
	if err != nil {
		return nil, err
	}
	at := func(line int, err error) error {
		return &load.Error{Op: "read", Subject: name + ":" + strconv.Itoa(line), Err: err}
	}
	table := csv.NewReader(bytes.NewReader(data))
	v := &load.Variables{}
	for {
		row, err := table.Read()
		switch pe := (*csv.ParseError)(nil); {
		case errors.Is(err, io.EOF):
			if len(v.Rows) > 0 {
				return v, nil
			}
			return nil, &load.Error{
				Op: "read", Subject: name, Err: errors.New("no rows"),
				Hint: "the first line holds the names of the variables; each further line holds a value of each",
			}
		case errors.As(err, &pe) && errors.Is(err, csv.ErrFieldCount):
			return nil, at(pe.StartLine, fmt.Errorf("expected %d values, found %d", len(v.Names), len(row)))
		case errors.As(err, &pe):
			return nil, at(pe.Line, pe.Err)
		case err != nil:
			return nil, &load.Error{Op: "read", Subject: name, Err: err}
		}
		line, _ := table.FieldPos(0)
		if v.Names != nil {
			if len(v.Rows) == MaxRows {
				return nil, at(line, fmt.Errorf("more than %d rows", MaxRows))
			}
			v.Rows = append(v.Rows, row)
			continue
		}
		if err := trimNames(row); err != nil {
			return nil, at(line, err)
		}
		v.Names = row
	}
}

// trimNames drops spaces around the names of variables and checks them.
func trimNames(names []string) error {
	for i, n := range names {
		n = strings.TrimSpace(n)
		names[i] = n
		switch {
		case n == "":
			return fmt.Errorf("column %d has no name", i+1)
		case strings.ContainsAny(n, "{}"):
			return fmt.Errorf("name %q contains braces", n)
		}
	}
	sorted := slices.Sorted(slices.Values(names))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return fmt.Errorf("duplicate column %q", sorted[i])
		}
	}
	return nil
}
