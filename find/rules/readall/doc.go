// Package readall defines a rule: a body of known length is read into memory that grows.
//
// io.ReadAll does not know how much comes: it takes pieces of memory of growing size, and copies them
// into one at the end. For the body of a request or an answer, Content-Length says it before.
//
// # Before
//
//	body, err := io.ReadAll(r.Body)
//
// # After
//
//	body, err := readSized(r.Body, r.ContentLength)
//
//	// readSized is io.ReadAll with room from the beginning for size bytes, if that is worth it and
//	// little enough to believe.
//	func readSized(r io.Reader, size int64) ([]byte, error) {
//		if size < 512 || size > 64<<10 {
//			return io.ReadAll(r)
//		}
//		b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
//		_, err := b.ReadFrom(r)
//		return b.Bytes(), err
//	}
//
// # Evidence
//
// The profiles have io.ReadAll below the line, and the runtime's functions that take memory.
//
// # Safety
//
// The length is no more than a hint for room: what is read, and the error, are the same if it is
// wrong or not known. More than 64 KiB are not believed, so that somebody who announces much and sends
// nothing does not take more memory than that. The bytes belong to the caller alone, as before: nothing is pooled, so
// nothing of one request can be in another.
//
// A json.Decoder in the place of io.ReadAll and json.Unmarshal would be no rewrite: it accepts what
// comes after the value.
package readall
