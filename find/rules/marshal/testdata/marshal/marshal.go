package marshal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"

	"test/values"
)

func Handle(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprint(w, string(b)) // want `b is copied to be written`
}

func all(w io.Writer, buf bytes.Buffer, v any) (string, error) {
	text, err := json.MarshalIndent(v, "", " ") // want `makes a second pass`
	if err != nil {
		return "", err
	}
	n, err := io.WriteString(w, string(text)) // want `text is copied`
	if err != nil {
		return fmt.Sprint(n), err
	}
	if _, err = fmt.Fprintf(&buf, "%s", text); err != nil { // want `text is copied`
		return "", err
	}
	fmt.Fprint(&buf, string(text) /* kept */) // want `text is copied`
	return buf.String(), nil
}

func answer(w http.ResponseWriter, v any) error {
	b, err := json.Marshal(v) // want `json.Encoder writes directly, but appends a newline`
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

func convert(from map[string]any, to any) error {
	b, err := json.Marshal(from) // want `encoded as JSON and decoded again`
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to) // want `encoded as JSON and decoded again`
}

type limited struct {
	bytes.Buffer
	room int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.room)
	l.room -= n
	_, _ = l.Buffer.Write(p[:n])
	if n < len(p) {
		return n, errors.New("full")
	}
	return n, nil
}

func (l *limited) WriteString(s string) (int, error) { return l.Write([]byte(s)) }

func Try(r *rand.Rand) string {
	v := map[string]any{values.String(r): values.Strings(r)}
	if r.IntN(5) == 0 {
		v["x"] = func() {}
	}
	w := httptest.NewRecorder()
	Handle(w, v)
	l := &limited{room: r.IntN(100)}
	text, err := all(l, bytes.Buffer{}, v)
	return fmt.Sprint(w.Code, w.Body, text, err, l.String(), answer(w, v), convert(v, &v))
}
