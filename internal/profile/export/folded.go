package export

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/profile"
)

// Folded writes the view in Brendan Gregg's collapsed-stack format, which
// flamegraph.pl, inferno, speedscope and many others read: one line per
// distinct stack, frames from the outermost to the leaf separated by ";", a
// space, and the sum of the samples' values in the sample type's own unit.
//
// Equal stacks are merged; stacks whose sum is zero are left out. Lines are sorted
// frame by frame, so equal profiles give equal text whatever the order of their
// samples. Samples without a visible frame are written as the one frame
// "[no stack]", so the lines always add up to the view's sum.
//
// A ";" or a control character inside a name would end the frame or the line;
// they are written percent-encoded (%3B, %0A), the way the Go linker writes the
// odd characters of a package path.
func Folded(w io.Writer, v *profile.View) error {
	f := newFolder(v)
	for s := range v.Stacks() {
		if s.Value != 0 {
			f.add(s)
		}
	}
	return f.write(w)
}

// A folder merges stacks. A stack is kept as the numbers of its frames' names,
// outermost first, four bytes each, so that it can be a key of a map.
type folder struct {
	names  []string // sorted: numbers compare as names do
	number []uint32 // by node id
	stacks map[string]int64
	key    []byte
}

func newFolder(v *profile.View) *folder {
	n := v.NumNodes()
	f := &folder{number: make([]uint32, n), stacks: make(map[string]int64)}
	byNode := make([]string, n)
	for id := range byNode {
		byNode[id] = foldedEscape(nodes.FrameName(v.Node(uint32(id))))
	}
	f.names = append(slices.Clone(byNode), "[no stack]")
	slices.Sort(f.names)
	f.names = slices.Compact(f.names)
	for id, name := range byNode {
		i, _ := slices.BinarySearch(f.names, name)
		f.number[id] = uint32(i)
	}
	return f
}

func (f *folder) add(s profile.Stack) {
	f.key = f.key[:0]
	for i := len(s.Nodes) - 1; i >= 0; i-- {
		f.key = binary.BigEndian.AppendUint32(f.key, f.number[s.Nodes[i]])
	}
	if len(s.Nodes) == 0 {
		none, _ := slices.BinarySearch(f.names, "[no stack]")
		f.key = binary.BigEndian.AppendUint32(f.key, uint32(none))
	}
	f.stacks[string(f.key)] += s.Value
}

func (f *folder) write(w io.Writer) error {
	bw := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	// Big-endian numbers sort as their bytes do.
	for _, key := range slices.Sorted(maps.Keys(f.stacks)) {
		value := f.stacks[key]
		if value == 0 {
			continue
		}
		line = line[:0]
		for i := 0; i < len(key); i += 4 {
			if i > 0 {
				line = append(line, ';')
			}
			line = append(line, f.names[binary.BigEndian.Uint32([]byte(key[i:i+4]))]...)
		}
		line = append(line, ' ')
		line = strconv.AppendInt(line, value, 10)
		if _, err := bw.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// A NegativeError reports a negative value, as in a difference of profiles, for a format that has
// none.
type NegativeError struct {
	Format string
	What   string // which value
	Value  int64
}

func (e *NegativeError) Error() string {
	return fmt.Sprintf("write %s: %s is %d, and the format has no negative values", e.Format, e.What, e.Value)
}

const hexDigits = "0123456789ABCDEF"

// foldedEscape escapes s for use as one frame of a folded line.
func foldedEscape(s string) string {
	// Scanned once per name, not once per line.
	unsafe := func(r rune) bool { return r == ';' || terminal.Unsafe(r) }
	if !strings.ContainsFunc(s, unsafe) {
		return s
	}
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		for _, c := range []byte(s[i : i+n]) {
			if unsafe(r) {
				b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
			} else {
				b = append(b, c)
			}
		}
		i += n
	}
	return string(b)
}
