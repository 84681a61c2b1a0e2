// Package convert defines a rule: a string or []byte is converted for a call that does not need
// it.
//
// A conversion between string and []byte copies, and allocates if the result is longer than 32
// bytes or escapes, as it does in every Write through an interface. Writers have WriteString,
// package bytes mirrors package strings, and range iterates over the runes of a string directly.
//
// # Before
//
//	file.Write([]byte(line))
//	if strings.HasPrefix(string(body), "{") {
//
// # After
//
//	file.WriteString(line)
//	if bytes.HasPrefix(body, []byte("{")) {
//
// # Evidence
//
// The CPU profile shows runtime.stringtoslicebyte, slicebytetostring or stringtoslicerune called
// from the line; the allocation profile charges the line itself.
//
// # Safety
//
// WriteString of bytes.Buffer, strings.Builder, bufio.Writer, os.File and http.ResponseWriter
// (whose wrappers do not inherit it) writes what Write does; bufio may split a long string
// differently for the underlying writer.
//
// The dynamic type of an io.Writer is unknown. io.WriteString calls its WriteString, which
// should do the same, but a type that embeds a buffer and defines only Write has the buffer's
// WriteString: that rewrite needs review. So does bytes.Buffer's Write of bytes that may be the
// buffer's own, and move when it grows. Hashes and connections have no WriteString, so there is
// nothing to gain and nothing is reported.
//
// A search is rewritten when no call in its other argument can change the bytes. Taking the
// first element of []rune(s) is only reported, because the replacement does not panic for an
// empty string.
package convert
