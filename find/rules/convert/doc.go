// Package convert defines a rule: a string is copied into bytes, or bytes into a string, for a call that needs no copy.
//
// A conversion between string and []byte copies, and takes memory from 33 bytes on or where the
// copy escapes, as it does into every Write of an interface. Writers have WriteString, package bytes has
// what package strings has, and range goes over the runes of a string itself.
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
// The CPU profile has runtime.stringtoslicebyte, slicebytetostring or stringtoslicerune below the line;
// the profile of allocations has the line itself.
//
// # Safety
//
// WriteString of bytes.Buffer, strings.Builder, bufio.Writer, os.File and http.ResponseWriter (whose
// wrappers do not inherit it) writes what Write does; bufio may cut a long text into other pieces for
// the writer behind it.
//
// Of an io.Writer nobody knows what it is. io.WriteString calls its WriteString, which should do
// the same, but a type that embeds a buffer and has a Write of its own has the buffer's WriteString:
// that rewrite needs a review. So does bytes.Buffer's Write of bytes, which may be the buffer's own,
// and move while it makes room. Types of hashes and connections have no WriteString: there is
// nothing to gain, and no report.
//
// A search is rewritten when nothing that its other argument calls could change the bytes. The first
// of []rune(s) is only reported: what replaces it does not panic for an empty string.
package convert
