// Package marshal defines a rule: JSON is copied on its way.
//
// json.Marshal makes the text in memory that it keeps, and copies it for the caller. A string of it is
// another copy, made only to be written; json.MarshalIndent goes through all of it a second time; and a
// value that is turned into JSON and back, to have it in another type, pays for both.
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
// The CPU profile has the conversion below the line, the profile of allocations the line itself; for
// the other kinds, functions of encoding/json.
//
// # Safety
//
// The bytes are written as they are, in one call of Write as before, whose results are the same. The
// variable is set once, by json.Marshal, and Write must not change or keep what it is given.
//
// All else is reported without a rewrite, for the answer would be another: json.Encoder writes a line
// feed behind the value. It would also not be the same to encode to the client at once: an error in the middle would
// come after a part of the answer. Without the indentation the text is another, and to copy a value field
// by field is not what JSON does with it (names, omitted fields, numbers in interfaces).
package marshal
