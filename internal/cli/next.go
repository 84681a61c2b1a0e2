package cli

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// next prints the next command on the way from a recording to a proven change, if the output is live. It goes to
// standard error, so that pipes contain only results.
func (a *app) next(words ...string) {
	if !a.live {
		return
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		q, err := syntax.Quote(word, syntax.LangBash)
		if err != nil {
			return // a name that no shell can write: there is nothing to copy
		}
		quoted[i] = q
	}
	_, _ = fmt.Fprintf(a.stderr, "\nnext: whet %s\n", strings.Join(quoted, " "))
}
