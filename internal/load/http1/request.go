package http1

import (
	"net/http"
	"strconv"

	"github.com/whet-go/whet/internal/load/request"
)

// AppendRequest appends the bytes of a request to dst. closing adds "Connection: close", which asks
// the server to close the connection after its answer. A Content-Length is sent when there is a
// body or the method usually has one: POST, PUT or PATCH (RFC 9110, section 8.6).
//
// r must come from a [request.Template]; it is not checked again.
func AppendRequest(dst []byte, r *request.Request, closing bool) []byte {
	dst = append(dst, r.Method...)
	dst = append(dst, ' ')
	dst = append(dst, r.Path...)
	dst = append(dst, " HTTP/1.1\r\nHost: "...)
	dst = append(dst, r.Host...)
	dst = append(dst, "\r\n"...)
	for i := range r.Header {
		dst = append(dst, r.Header[i].Name...)
		dst = append(dst, ": "...)
		dst = append(dst, r.Header[i].Value...)
		dst = append(dst, "\r\n"...)
	}
	if closing {
		dst = append(dst, "Connection: close\r\n"...)
	}
	if len(r.Body) > 0 || r.Method == http.MethodPost || r.Method == http.MethodPut || r.Method == http.MethodPatch {
		dst = append(dst, "Content-Length: "...)
		dst = strconv.AppendInt(dst, int64(len(r.Body)), 10)
		dst = append(dst, "\r\n"...)
	}
	dst = append(dst, "\r\n"...)
	return append(dst, r.Body...)
}
