// Package marshal defines a rule: JSON is copied needlessly.
//
// json.Marshal encodes into a pooled buffer and copies the result for the caller. Converting it
// to a string copies it again, only to be written; json.MarshalIndent makes a second pass over
// everything; and a value that is encoded and decoded again to change its type pays for both.
//
// # Before
//
//	b, err := json.Marshal(answer)
//	…
//	fmt.Fprint(w, string(b))
//
// # After
//
//	b, err := json.Marshal(answer)
//	…
//	w.Write(b)
//
// # Evidence
//
// The CPU profile shows the conversion called from the line and the allocation profile charges
// the line itself; for the other causes, the profiles show functions of encoding/json.
//
// # Safety
//
// The same bytes are written by a single Write, as before, with the same results. The variable
// is set once, by json.Marshal; Write must not modify or retain its argument.
//
// Everything else is reported without a rewrite, because the output would differ. json.Encoder
// appends a newline, and encoding directly to the client would send part of a response before an
// error. Without indentation the text differs, and copying a value field by field is not what
// JSON does with it (names, omitted fields, numbers in interfaces).
package marshal
