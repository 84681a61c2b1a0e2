package coverage

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// A Block is a range of lines of a file of the module.
type Block struct {
	File     string // relative to the module
	From, To int
	Times    int64 // times it ran: 0 or 1 unless the build counts
}

// Read reads the blocks that ran, and those that did not, from a cover profile (cmd/cover), which has lines of the form
//
//	import/path/file.go:10.2,12.16 2 1
//
// where the last number is the number of times it ran. Blocks outside the module are left out.
func Read(r io.Reader, module string) (ran, missed []Block, err error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		where, counts, ok := strings.Cut(lines.Text(), " ")
		if !ok || strings.HasPrefix(where, "mode:") {
			continue
		}
		i := strings.LastIndexByte(where, ':')
		if i < 0 {
			return nil, nil, fmt.Errorf("%q is not a line of a cover profile", lines.Text())
		}
		var b Block
		if _, err := fmt.Sscanf(where[i+1:], "%d.%d,%d.%d", &b.From, new(int), &b.To, new(int)); err != nil {
			return nil, nil, fmt.Errorf("cover profile: %q: %w", lines.Text(), err)
		}
		if _, err := fmt.Sscanf(counts, "%d %d", new(int), &b.Times); err != nil {
			return nil, nil, fmt.Errorf("cover profile: %q: %w", lines.Text(), err)
		}
		switch b.File, ok = strings.CutPrefix(where[:i], module+"/"); {
		case !ok:
		case b.Times == 0:
			missed = append(missed, b)
		default:
			ran = append(ran, b)
		}
	}
	return ran, missed, lines.Err()
}
