package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/whet-go/whet/internal/diag"
)

// ParseHeaders parses headers of the form "Name: value". example is a header for the hint of its
// error.
func ParseHeaders(lines []string, example string) (http.Header, error) {
	header := make(http.Header)
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			// The text itself may be a secret.
			return nil, diag.Usagef("-H", "not a header", `write it as -H "`+example+`"`)
		}
		header.Add(name, strings.TrimSpace(value))
	}
	return header, nil
}

// ReadFile reads a file; "-" is stdin. It returns an error if it is longer than limit bytes.
func ReadFile(name string, stdin io.Reader, limit int64) ([]byte, error) {
	r := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }() // only read
		r = file
	}
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: larger than %d MB", name, limit>>20)
	}
	return data, err
}

// maxToken is the maximum size of a token file.
const maxToken = 1 << 20

// ReadToken reads a token from a file with one line; "-" is stdin.
func ReadToken(file string, stdin io.Reader) (string, error) {
	data, err := ReadFile(file, stdin, maxToken)
	if err != nil {
		return "", &diag.Error{Op: "read token", Err: err}
	}
	token := string(bytes.TrimSpace(data))
	if token == "" || strings.ContainsAny(token, "\r\n") {
		return "", &diag.Error{
			Op: "read token", Subject: file, Err: errors.New("the file must have one line, the token"), Kind: diag.Usage,
		}
	}
	return token, nil
}
