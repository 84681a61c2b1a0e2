package rewrite

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff is what a file's change is as a unified diff that git and patch read, nil for none: a name is
// quoted as git quotes it, so that no name can end a line or be taken for another part of a patch.
func Diff(name string, before, after []byte) []byte {
	// The library writes names as they are.
	text := diff.Diff("a", before, "b", after)
	_, hunks, ok := bytes.Cut(text, []byte("\n+++ b\n"))
	if !ok {
		return nil
	}
	from, to := QuoteName("a/"+name), QuoteName("b/"+name)
	end := ""
	if strings.Contains(name, " ") && !strings.HasPrefix(from, `"`) {
		end = "\t" // where git ends a name with spaces
	}
	return append([]byte(fmt.Sprintf("diff %s %s\n--- %s%s\n+++ %s%s\n", from, to, from, end, to, end)), hunks...)
}

// QuoteName writes a file's name as git does (quote_c_style with core.quotePath): as it is, or in double
// quotes with escapes when it has bytes that are not printable ASCII, quotes or backslashes.
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
