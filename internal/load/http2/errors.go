package http2

import (
	"errors"
	"fmt"
	"strconv"
)

// Code is an error code of RST_STREAM and GOAWAY frames (RFC 9113, section 7).
type Code uint32

// The codes that this package sends or checks for.
const (
	noError          Code = 0x0
	protocolError    Code = 0x1
	flowControlError Code = 0x3
	frameSizeError   Code = 0x6
	refusedStream    Code = 0x7
	cancel           Code = 0x8
	compressionError Code = 0x9
	enhanceYourCalm  Code = 0xb
)

var codeNames = [...]string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
	"STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
	"CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

// String returns the name that RFC 9113 gives the code, or its number in hexadecimal.
func (c Code) String() string {
	if int64(c) < int64(len(codeNames)) {
		return codeNames[c]
	}
	return "0x" + strconv.FormatUint(uint64(c), 16)
}

var (
	// ErrRefused is the error of a request that the peer has not processed: it was beyond the last
	// stream of a GOAWAY, or reset with REFUSED_STREAM. It can safely be sent again.
	ErrRefused = errors.New("request refused unprocessed")
	// ErrClosed is the error of a request to which no answer had begun when the peer closed the
	// connection. If one had begun, the error is io.ErrUnexpectedEOF.
	ErrClosed = errors.New("connection closed before the answer")
	// ErrCapacity is the error of [Conn.Send] if no stream may be opened.
	ErrCapacity = errors.New("no stream may be opened")
)

// A ResetError is the error of a stream that the peer has reset.
type ResetError struct{ Code Code }

// Error returns a message with the code.
func (e ResetError) Error() string { return "stream reset by peer: " + e.Code.String() }

// Is reports whether target is ErrRefused and e is REFUSED_STREAM.
func (e ResetError) Is(target error) bool { return target == ErrRefused && e.Code == refusedStream }

// A MalformedError is the error of a stream whose answer breaks the rules. The stream has been
// reset; the connection continues.
type MalformedError struct{ What string }

// Error returns a message with what is wrong with the answer.
func (e *MalformedError) Error() string { return "malformed answer: " + e.What }

func malformed(format string, a ...any) error {
	return &MalformedError{What: fmt.Sprintf(format, a...)}
}

// A GoAwayError is the error of the streams that were open when the peer closed the
// connection after a GOAWAY frame with an error code.
type GoAwayError struct {
	Code  Code
	Debug string // the beginning of the frame's debug data; often empty
}

// Error returns a message with the code and the debug data.
func (e *GoAwayError) Error() string {
	text := "connection closed by peer: " + e.Code.String()
	if e.Debug != "" {
		text += fmt.Sprintf(" (%q)", e.Debug)
	}
	return text
}

// A ConnError is a violation of the protocol by the peer after which the connection
// cannot be used.
type ConnError struct {
	Code Code // sent to the peer in a GOAWAY
	What string
	// Flood means that each frame was valid, but that there were too many useless ones.
	Flood bool
}

// Error returns a message with what the peer did.
func (e *ConnError) Error() string { return "http/2 " + e.Code.String() + ": " + e.What }

func connError(code Code, format string, a ...any) *ConnError {
	return &ConnError{Code: code, What: fmt.Sprintf(format, a...)}
}
