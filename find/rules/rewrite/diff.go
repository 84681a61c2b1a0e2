package rewrite

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff returns the change of a file as a unified diff for git and patch, nil if there is none.
// Names are quoted as git quotes them, so that no name can end a line or be mistaken for another
// part of a patch.
func Diff(name string, before, after []byte) []byte {
	// The library does not quote names.
	text := diff.Diff("a", before, "b", after)
	_, hunks, ok := bytes.Cut(text, []byte("\n+++ b\n"))
	if !ok {
		return nil
	}
	from, to := QuoteName("a/"+name), QuoteName("b/"+name)
	end := ""
	if strings.Contains(name, " ") && !strings.HasPrefix(from, `"`) {
		end = "\t" // git ends names that contain spaces with a tab
	}
	return append([]byte(fmt.Sprintf("diff %s %s\n--- %s%s\n+++ %s%s\n", from, to, from, end, to, end)), hunks...)
}

// QuoteName writes a file name as git does (quote_c_style with core.quotePath): unchanged, or in
// double quotes with escapes if it contains bytes that are not printable ASCII, quotes or
// backslashes.
func QuoteName(name string) string {
	special := false
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if at := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); at >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[at])
			special = true
			continue
		}
		if c < 0x20 || c >= 0x7f {
			fmt.Fprintf(&b, `\%03o`, c)
			special = true
			continue
		}
		b.WriteByte(c)
	}
	if !special {
		return name
	}
	return `"` + b.String() + `"`
}
