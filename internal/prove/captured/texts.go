package captured

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/capture/support"
)

// Limits of the texts.
const (
	maxTexts = 100
	maxText  = 256 // bytes of a text
)

// Texts returns short texts in arguments, without those that were cut or redacted: those of a package's functions
// first, and then those of others, in the order of their names. nil has none.
func (c *Calls) Texts(pkg string) (texts []string) {
	if c == nil {
		return nil
	}
	names := slices.SortedFunc(maps.Keys(c.functions), func(a, b string) int {
		other := func(name string) int {
			if strings.HasPrefix(name, pkg+" ") {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(other(a), other(b)), strings.Compare(a, b))
	})
	seen := map[string]bool{"": true}
	for _, name := range names {
		for _, call := range c.functions[name] {
			for i := range call.Arguments {
				texts = textsOf(texts, seen, &call.Arguments[i])
			}
		}
	}
	return texts
}

// textsOf appends the texts of a value that were not seen.
func textsOf(texts []string, seen map[string]bool, v *support.Value) []string {
	if v.Kind == support.KindString || v.Kind == support.KindBytes {
		text := v.Text + string(v.Data)
		if len(text) == v.Len && len(text) <= maxText && len(texts) < maxTexts && !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	for i := range v.Items {
		texts = textsOf(texts, seen, &v.Items[i])
	}
	for i := range v.Fields {
		texts = textsOf(texts, seen, &v.Fields[i].Value)
	}
	return texts
}
