package reuse

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"test/values"
)

func Zip(to io.Writer, text string) error {
	z := gzip.NewWriter(to) // want `Take the gzip.Writer from a pool`
	if _, err := io.WriteString(z, text); err != nil {
		return err
	}
	return z.Close()
}

func Lines(to io.Writer, lines []string) error {
	w := bufio.NewWriter(to) // want `Take the bufio.Writer from a pool`
	defer w.Flush()
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	return nil
}

func JSON(x any) (string, error) {
	var buf bytes.Buffer // want `Take the buffer from a pool`
	if err := json.NewEncoder(&buf).Encode(x); err != nil {
		return "", err
	}
	return buf.String(), nil
}

func Count(from io.Reader) (n int, err error) {
	buf := make([]byte, 4096) // want `Take the memory from a pool`
	for {
		k, err := from.Read(buf)
		n += strings.Count(string(buf[:k]), " ")
		if err != nil {
			return n, err
		}
	}
}

func Returned(text string) *bytes.Buffer {
	var buf bytes.Buffer
	buf.WriteString(text)
	return &buf
}

func Kept(text string) []byte {
	var buf bytes.Buffer
	buf.WriteString(text)
	return buf.Bytes()
}

func Wrapped(text string) *bufio.Writer {
	var buf bytes.Buffer
	w := bufio.NewWriter(&buf)
	return w
}

func Each(to io.Writer, lines []string) {
	for _, line := range lines {
		w := bufio.NewWriter(to)
		w.WriteString(line)
		w.Flush()
	}
}

func Peeked(from io.Reader) []byte {
	r := bufio.NewReader(from)
	line, _, _ := r.ReadLine()
	return line
}

func Whole(from io.Reader) []byte {
	buf := make([]byte, 4096)
	n, _ := io.ReadFull(from, buf)
	return buf[:n]
}

func Try(r *rand.Rand) string {
	text := values.String(r)
	var zipped, lines bytes.Buffer
	if err := Zip(&zipped, text); err != nil {
		return err.Error()
	}
	unzipped, err := gzip.NewReader(&zipped)
	if err != nil {
		return err.Error()
	}
	again, err := io.ReadAll(unzipped)
	_ = Lines(&lines, values.Strings(r))
	encoded, err2 := JSON(text)
	n, err3 := Count(strings.NewReader(text))
	return fmt.Sprint(string(again), err, lines.String(), encoded, err2, n, err3)
}
