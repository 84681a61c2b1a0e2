package support

// A Value is a copy of a value of the program, without what could not or must not be copied.
type Value struct {
	// Kind is bool, int, uint, float, complex, string, bytes, slice, array, map, struct, pointer, interface, reflected
	// (what a reflect.Value holds), nil, or omitted.
	Kind string `json:"kind"`
	// Type is the type as reflection prints it, of arguments and of what an interface or a reflect.Value holds.
	Type string `json:"type,omitempty"`
	// Text is a number, or the text of a string or bytes that are UTF-8. Data has the bytes of others.
	Text string `json:"text,omitempty"`
	Data []byte `json:"data,omitempty"`
	// Len is the length of a string, slice, array, map or channel, of which the copy may have only the beginning.
	Len int `json:"len,omitempty"`
	// Items are elements, the keys and values of a map in turn, or what a pointer, an interface or a reflect.Value refers
	// to.
	Items []Value `json:"items,omitempty"`
	// Fields are those of a struct that were copied.
	Fields []Field `json:"fields,omitempty"`
	// Why is the reason why the value, or a part of it, is missing.
	Why string `json:"why,omitempty"`
}

// A Field is a field of a struct.
type Field struct {
	Name  string `json:"name"`
	Value Value  `json:"value"`
}

// The kinds of values.
const (
	KindBool      = "bool"
	KindInt       = "int"
	KindUint      = "uint"
	KindFloat     = "float"
	KindComplex   = "complex"
	KindString    = "string"
	KindBytes     = "bytes"
	KindSlice     = "slice"
	KindArray     = "array"
	KindMap       = "map"
	KindStruct    = "struct"
	KindPointer   = "pointer"
	KindInterface = "interface"
	KindReflected = "reflected"
	KindNil       = "nil"
	KindOmitted   = "omitted"
)

// Unread is the Why of what may be written by other goroutines, as far as the function shows.
const Unread = "the function does not read it before it may synchronize with other goroutines"

// Redacted begins the Why of what was redacted.
const Redacted = "redacted: "

// Schema is the schema of a [Document].
const Schema = "whet.arguments/1"

// A Document is what one process copied.
type Document struct {
	Schema    string     `json:"schema"` // always [Schema]
	Functions []Function `json:"functions"`
}

// A Function has sampled calls of one function.
type Function struct {
	Package string `json:"package"` // import path
	Name    string `json:"name"`    // in the form of Go source: (*T).Name
	// Names are those of the receiver, if there is one, the parameters, and the results; "" for one without a name.
	Receiver   bool     `json:"receiver,omitempty"`
	Parameters []string `json:"parameters,omitempty"`
	Results    []string `json:"results,omitempty"`
	// Taken is the number of calls from which Calls are drawn. Those that would not be kept are not copied.
	Taken int64 `json:"taken"`
	// Rate is an estimate of the number of calls per second; 0 means unknown.
	Rate  float64 `json:"rate,omitempty"`
	Calls []Call  `json:"calls,omitempty"`
	// Note is why calls have no results, or why there are no calls.
	Note string `json:"note,omitempty"`
}

// A Call is one call of a function.
type Call struct {
	// Arguments begin with the receiver, if there is one.
	Arguments []Value `json:"arguments"`
	// Results are missing if the call panicked or did not return in time.
	Results []Value `json:"results,omitempty"`
}
