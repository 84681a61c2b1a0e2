package regexpcode

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/find/regexpcode/automaton"
)

// writeTable writes the body of the function as a loop that looks up the next state in a table,
// and appends the table to the tables.
func (e *emitter) writeTable(fresh func(base string) string) {
	next, class := fresh(e.name+"Next"), fresh(e.name+"Class")
	// In the table, 0 is the end without a match, 1 is a match, and other states follow.
	number := func(x automaton.Edge) int {
		switch {
		case x.To >= 0:
			return x.To + 2
		case x.Accept != nil:
			return 1
		}
		return 0
	}
	e.depth = 1
	e.line("state := uint8(%d)", e.states0())
	if e.isBytes() {
		e.open("for _, c := range b")
	} else {
		e.open("for _, c := range []byte(s)")
	}
	e.open("if state = %s[state][%s[c]]; state < 2", next, class)
	e.line("return state == 1")
	e.close()
	e.close()
	e.line("return %s[state][%d] == 1", next, len(e.Classes))

	var t strings.Builder
	t.WriteString("\n// " + next + " has the next state by the state and the class of the next byte, and last\n" +
		"// for the end: 0 if there is no match, 1 if there is one.\n")
	t.WriteString("var " + next + " = [...][" + strconv.Itoa(len(e.Classes)+1) + "]uint8{\n")
	samples := e.Samples()
	for q, s := range e.States {
		var row []string
		for _, x := range s.Next {
			row = append(row, strconv.Itoa(number(x)))
		}
		fmt.Fprintf(&t, "\t%d: {%s}, // after %q\n", q+2, strings.Join(row, ", "), samples[q])
	}
	t.WriteString("}\n\n// " + class + " has the class of each byte.\nvar " + class + " = [256]uint8{")
	n := 0
	for c := range 256 {
		b := c
		if c >= 0x80 {
			b = 0x10ffff
		}
		for i, s := range e.Classes {
			if i == 0 || !s.Contains(rune(b)) {
				continue
			}
			if n%8 == 0 {
				t.WriteString("\n\t")
			} else {
				t.WriteString(" ")
			}
			n++
			key := strconv.Itoa(c)
			if c < 0x80 {
				key = strconv.QuoteRuneToASCII(rune(c))
			}
			t.WriteString(key + ": " + strconv.Itoa(i) + ",")
		}
	}
	t.WriteString("\n}\n")
	e.tables.decls += t.String()
}

// states0 is the number of the first state in the table.
func (e *emitter) states0() int { return e.Begin[automaton.AtBegin] + 2 }
