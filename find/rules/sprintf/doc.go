// Package sprintf defines a rule: fmt formats values where a concatenation or a plain write
// would do.
//
// fmt.Sprintf parses its format on every call, takes its operands as interfaces, which
// allocates, and copies the result at the end. For strings and numbers, + and strconv are
// several times faster, with a single allocation for the result.
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
// The CPU profile shows fmt.Sprintf or another function of fmt, and runtime.convT, called from
// the line; the allocation profile shows the function of fmt, or charges the line itself where
// operands are converted to interfaces.
//
// # Safety
//
// The format is constant, and its verbs fit their operands and have no flags, widths or indexes.
// Operands are strings, integers, floats, booleans or bytes whose type has no String, Error,
// GoString or Format method. fmt formats numbers with the same strconv functions and arguments
// as the rewrite. There is no rewrite where a call in an operand could change what an earlier
// operand has read, nor for writes where a later operand could panic after part of the output
// was written: fmt writes all or nothing.
//
// Numbers are formatted on the stack and copied, because AppendInt would allocate if the buffer
// is empty or full. Fprintf is split only for a *bytes.Buffer or *strings.Builder whose error is
// ignored, since they return none. Other writers would get several writes instead of one.
package sprintf
