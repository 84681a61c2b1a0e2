package folded

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/whet-go/whet/profile"
)

// Options configure Parse.
type Options struct {
	// Types are the sample types of the profile; at least one.
	Types []profile.ValueType
	// Scale has, for each of Types, what one count is worth. It is as long as Types.
	Scale []int64
	// Plain means that lines have no counts.
	Plain bool
	// MaxStacks is the largest number of distinct stacks, MaxDepth that of frames of one stack, and
	// MaxFunctions that of distinct functions; 0 means no limit.
	MaxStacks, MaxDepth, MaxFunctions int
}

// A LimitError reports text with more stacks, or more frames in one, than are accepted.
type LimitError struct {
	Line  int // starts at 1
	What  string
	Limit int
}

// Error returns the line, and what it has too many of.
func (e *LimitError) Error() string {
	return fmt.Sprintf("line %d: more than %d %s", e.Line, e.Limit, e.What)
}

// Parse reads all stacks of a text. Errors name the line.
func Parse(text []byte, o Options) (*profile.Profile, error) {
	b := profile.NewBuilder(o.Types...)
	values := make([]int64, len(o.Types))
	var stack []uint32
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		count := int64(1)
		if !o.Plain {
			var err error
			if line, count, err = counted(line); err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
		}
		stack = stack[:0]
		for frame := range bytes.SplitSeq(line, []byte(";")) {
			if o.MaxDepth > 0 && len(stack) == o.MaxDepth {
				return nil, &LimitError{n, "frames in a stack", o.MaxDepth}
			}
			f := b.Function(profile.Function{Name: string(frame), SystemName: string(frame)})
			if o.MaxFunctions > 0 && int(f) >= o.MaxFunctions {
				return nil, &LimitError{n, "functions", o.MaxFunctions}
			}
			stack = append(stack, b.Location(0, profile.None, false, profile.Line{Function: f}))
		}
		for i, j := 0, len(stack)-1; i < j; i, j = i+1, j-1 {
			stack[i], stack[j] = stack[j], stack[i]
		}
		for i, scale := range o.Scale {
			if count > math.MaxInt64/max(scale, 1) {
				return nil, fmt.Errorf("line %d: the count %d is too large", n, count)
			}
			values[i] = count * scale
		}
		if err := b.Sample(stack, nil, values...); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if o.MaxStacks > 0 && b.NumSamples() > o.MaxStacks {
			return nil, &LimitError{n, "stacks", o.MaxStacks}
		}
	}
	return b.Profile(nil), nil
}

// counted splits a line into its stack and its count.
func counted(line []byte) ([]byte, int64, error) {
	at := bytes.LastIndexByte(line, ' ')
	if at <= 0 {
		return nil, 0, fmt.Errorf("%.40q has no count (want FRAME;FRAME COUNT)", line)
	}
	count, err := strconv.ParseInt(string(line[at+1:]), 10, 64)
	if err != nil || count < 0 {
		return nil, 0, fmt.Errorf("%.40q is not a count", line[at+1:])
	}
	return bytes.TrimSpace(line[:at]), count, nil
}
