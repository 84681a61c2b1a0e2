package report

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/whet-go/whet/profile"
)

// Folded writes the view in Brendan Gregg's collapsed-stack format, which
// flamegraph.pl, inferno, speedscope and many others read: one line per
// distinct stack, frames from the outermost to the leaf separated by ";", a
// space, and the sum of the samples' values in the sample type's own unit.
//
// Equal stacks are merged; stacks whose sum is zero are left out. The order is
// that of the view's call tree and so the same on every run. Samples without a
// visible frame are written as the one frame "[no stack]", so the lines always
// add up to the view's sum.
//
// A ";" or a control character inside a name would end the frame or the line;
// they are written percent-encoded (%3B, %0A), the way the Go linker writes the
// odd characters of a package path.
func Folded(w io.Writer, v *profile.View) error {
	t := v.Tree(0, false)
	names := make(map[uint32]string)
	name := func(id uint32) string {
		s, ok := names[id]
		if !ok {
			s = foldedEscape(frameName(v.Node(id)))
			names[id] = s
		}
		return s
	}

	bw := bufio.NewWriterSize(w, 1<<16)
	// The nodes come in preorder: the path to the current one is a stack of
	// names in buf, of which ends holds the ends by depth.
	var buf []byte
	var ends []int
	depth := make([]int32, len(t.Nodes))
	for i, n := range t.Nodes {
		if i == 0 {
			if n.Self != 0 {
				buf = append(buf[:0], "[no stack] "...)
				buf = strconv.AppendInt(buf, n.Self, 10)
				if _, err := bw.Write(append(buf, '\n')); err != nil {
					return err
				}
			}
			continue
		}
		d := 0
		if n.Parent != 0 {
			d = int(depth[n.Parent]) + 1
		}
		depth[i] = int32(d)
		start := 0
		if d > 0 {
			start = ends[d-1]
		}
		buf = buf[:start]
		if d > 0 {
			buf = append(buf, ';')
		}
		buf = append(buf, name(n.Node)...)
		ends = append(ends[:d], len(buf))
		if n.Self == 0 {
			continue
		}
		line := append(buf, ' ')
		line = strconv.AppendInt(line, n.Self, 10)
		line = append(line, '\n')
		buf = line[:len(buf)]
		if _, err := bw.Write(line); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// A NegativeError says that a format has no negative values, as differences of
// profiles have them.
type NegativeError struct {
	Format string
	What   string // which value
	Value  int64
}

func (e *NegativeError) Error() string {
	return fmt.Sprintf("write %s: %s is %d, and the format has no negative values", e.Format, e.What, e.Value)
}

const hexDigits = "0123456789ABCDEF"

// foldedEscape makes s safe as one frame of a folded line.
func foldedEscape(s string) string {
	unsafe := func(c byte) bool { return c == ';' || c < ' ' || c == 0x7f }
	i := 0
	for i < len(s) && !unsafe(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	b := make([]byte, 0, len(s)+8)
	for _, c := range []byte(s) {
		if unsafe(c) {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// frameName is a node's name in the formats that other tools read. It follows
// the names that pprof prints: function, then file:line where the view tells
// lines apart; the address and the mapped file for code without symbols.
func frameName(n profile.Node) string {
	var parts []string
	if n.Address != 0 {
		parts = append(parts, "0x"+strconv.FormatUint(n.Address, 16))
	}
	if n.Name != "" {
		parts = append(parts, n.Name)
	}
	switch {
	case n.Line != 0:
		parts = append(parts, n.File+":"+strconv.Itoa(n.Line))
	case n.Name == "" && n.File != "":
		parts = append(parts, n.File)
	case n.Name == "" && n.Object != "":
		parts = append(parts, "["+path.Base(strings.ReplaceAll(n.Object, `\`, "/"))+"]")
	case len(parts) == 0:
		return "[unknown]"
	}
	return strings.Join(parts, " ")
}
