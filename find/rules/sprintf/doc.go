// Package sprintf defines a rule: fmt formats values that a concatenation, or the writer itself, would do for.
//
// fmt.Sprintf reads its format each time, takes its operands as interfaces, which are allocated, and
// copies the text once more in the end. For strings and numbers, + and strconv do the same several
// times faster, with the one allocation of the result.
//
// # Before
//
//	key := fmt.Sprintf("request.%s.%d", name, id)
//	fmt.Fprintf(&buf, "name is: %s", name)
//
// # After
//
//	key := "request." + name + "." + strconv.Itoa(id)
//	buf.WriteString("name is: ")
//	buf.WriteString(name)
//
// # Evidence
//
// The CPU profile has fmt.Sprintf, or another function of fmt, below the line, and runtime.convT; the
// profile of allocations has fmt's function, or the line itself where operands are put into interfaces.
//
// # Safety
//
// The format is constant, its verbs fit their operands and have no flags, widths or indexes; operands
// are strings, integers, floats, booleans or bytes whose type has no String, Error, GoString or Format
// method. fmt writes numbers with strconv's functions and the arguments that the rewrite gives them.
// There is no rewrite where a call in an operand could change what an operand before it has read, and
// none of a write whose later operands could panic when a part is written: fmt writes all or nothing.
//
// Numbers are appended on the stack and copied: a buffer that is empty or full would make AppendInt take
// memory of its own. Fprintf is taken apart only for a *bytes.Buffer or *strings.Builder whose error nobody looks at:
// they have none. Other writers would get several writes instead of one.
package sprintf
