// Package readall defines a rule: a body of known length is read into a buffer that grows.
//
// io.ReadAll does not know the size in advance: it allocates chunks of growing size and copies them
// together at the end. For the body of a request or response, Content-Length usually gives the
// size.
//
// # Before
//
//	body, err := io.ReadAll(r.Body)
//
// # After
//
//	body, err := readSized(r.Body, r.ContentLength)
//
//	// readSized is io.ReadAll with an initial capacity of size bytes, unless size is too small to help
//	// or too large to trust.
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
// The profiles show io.ReadAll called from the line, and the runtime's allocation functions. Handlers that are
// registered for GET or HEAD are left out, and so is code that runs for these methods only: their requests
// have no body.
//
// # Safety
//
// The length is only a hint for the capacity: if it is wrong or unknown, the data and the error
// are the same. Lengths above 64 KiB are not trusted, so that a client that announces much and
// sends nothing cannot make the program allocate more than that. The bytes belong to the caller
// alone, as before: nothing is pooled, so nothing can leak from one request to another.
//
// Replacing io.ReadAll and json.Unmarshal by a json.Decoder would change behavior: it accepts
// data after the value.
package readall
