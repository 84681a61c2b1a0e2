// Package appendform defines a rule: a value is formatted as a new string only to be appended to
// a buffer.
//
// strconv.FormatInt, time.Time.Format, hex.EncodeToString and similar functions allocate a
// string, which is copied into a buffer and dropped. Each has a counterpart that appends to a
// slice; bytes.Buffer and bufio.Writer provide their spare capacity for it.
//
// # Before
//
//	buf.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
//	line = append(line, at.Format(time.RFC3339)...)
//
// # After
//
//	buf.Write(strconv.AppendFloat(buf.AvailableBuffer(), v, 'f', -1, 64))
//	line = at.AppendFormat(line, time.RFC3339)
//
// # Evidence
//
// Both the CPU profile and the allocation profile show the formatting function called from the
// line.
//
// # Safety
//
// The append functions write the same bytes. The arguments must not call anything that could
// change the buffer, and the buffer must be a variable or a field, so that naming it twice
// refers to the same one.
//
// Bytes to be encoded could themselves lie in the spare capacity and be overwritten while they
// are read, so that rewrite needs review.
package appendform
