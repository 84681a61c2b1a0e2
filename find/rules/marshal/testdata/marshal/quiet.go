package marshal

import (
	"encoding/json"
	"fmt"
	"io"
)

func quiet(w io.Writer, v any, given []byte) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	b = append(b, '\n')
	if _, err := io.WriteString(w, string(b)); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintln(w, string(given)); err != nil {
		return "", err
	}
	key, _ := json.Marshal(v)
	fmt.Fprintln(w, string(key))
	fmt.Fprintf(w, "%q", key)
	return string(key), json.NewEncoder(w).Encode(v)
}
