// Package appendform defines a rule: a value becomes a string of its own, only to be appended to bytes that are there.
//
// strconv.FormatInt, time.Time.Format, hex.EncodeToString and their kin make a string, which is then
// copied into a buffer and dropped. Each has a twin that appends to a slice; bytes.Buffer and
// bufio.Writer lend their free room for it.
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
// The CPU profile has the function that makes the string below the line, and so has the profile of
// allocations.
//
// # Safety
//
// The twins write the same bytes. Nothing in the arguments may call what could change the buffer
// meanwhile, and the buffer is a variable or a field, so that naming it twice is the same one.
// Encoded bytes could lie in the free room themselves, and be overwritten while they are read: that
// rewrite needs a review.
package appendform
