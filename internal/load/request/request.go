package request

// A Field is one line of a header.
type Field struct{ Name, Value string }

// A Request is what goes to a server.
type Request struct {
	Method string // GET and so on, never empty
	Scheme string // http or https
	Host   string // the Host header, or :authority
	Path   string // the request URI: path and query, escaped; begins with a slash
	// Header has the fields in the order in which they are sent, without Host and Content-Length,
	// with names as the user wrote them.
	Header []Field
	Body   []byte // empty: none

	scratch []byte // of Expand
}
