package targets

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/whet-go/whet/load"
)

// jsonTarget is a target in vegeta's JSON format, with a name and a weight.
// https://github.com/tsenart/vegeta/blob/master/lib/target.schema.json
type jsonTarget struct {
	Method string              `json:"method"`
	URL    string              `json:"url"`
	Body   *[]byte             `json:"body,omitempty"` // base64
	Header map[string][]string `json:"header,omitempty"`
	Name   *string             `json:"name,omitempty"`
	Weight *int                `json:"weight,omitempty"`
}

// readJSON reads one object per line.
func (r *reader) readJSON(data []byte) error {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if line[0] == '#' {
			if err := r.comment(number, string(line)); err != nil {
				return err
			}
			continue
		}
		if err := r.object(number, line); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) object(number int, line []byte) error {
	var j jsonTarget
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(&j)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			err = nil
		} else {
			err = errors.New("unexpected data after the object")
		}
	}
	if err != nil {
		// Go 1.27 wraps the base64 error with the field and type; earlier versions return it bare.
		var corrupt base64.CorruptInputError
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			err = errors.New("the object does not end on its line")
		case errors.As(err, &corrupt):
			err = fmt.Errorf("body: %w", corrupt)
		}
		return hint(r.errorf(number, "expected one JSON object with method, url, body, header, name and weight: %w", err),
			"jq -c writes each object on one line")
	}
	if j.URL == "" {
		return r.errorf(number, `expected "url" in the object`)
	}
	t := load.Target{Method: j.Method, URL: j.URL, Name: r.takeName(), Weight: r.takeWeight()}
	if j.Name != nil {
		if t.Name != "" {
			return r.errorf(number, "duplicate name for one target (first in line %d)", r.named)
		}
		if err := checkName(*j.Name); err != nil {
			return r.errorf(number, "%w", err)
		}
		t.Name = *j.Name
	}
	if j.Weight != nil {
		if t.Weight != 0 {
			return r.errorf(number, "duplicate weight for one target (first in line %d)", r.given)
		}
		if err := checkWeight(*j.Weight); err != nil {
			return r.errorf(number, "%w", err)
		}
		t.Weight = *j.Weight
	}
	for _, name := range slices.Sorted(maps.Keys(j.Header)) {
		for _, value := range j.Header[name] {
			if t.Header, err = addHeader(t.Header, name, value); err != nil {
				return r.errorf(number, "%w", err)
			}
		}
	}
	if j.Body != nil {
		body := *j.Body
		if body == nil {
			body = []byte{}
		}
		if err := r.count(number, len(body)); err != nil {
			return err
		}
		t.Body = body
	}
	return r.add(number, t)
}

// Write writes targets in vegeta's JSON format, one object per line, with "name" and "weight" where
// they are set. [Read] returns them unchanged, except that an empty method is written as GET,
// because vegeta requires one.
func Write(w io.Writer, targets []load.Target) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i, t := range targets {
		j := jsonTarget{Method: t.Method, URL: t.URL, Header: t.Header}
		if j.Method == "" {
			j.Method = http.MethodGet
		}
		if t.Body != nil {
			j.Body = &t.Body
		}
		if t.Name != "" {
			j.Name = &t.Name
		}
		if t.Weight != 0 {
			j.Weight = &t.Weight
		}
		if err := e.Encode(j); err != nil {
			return fmt.Errorf("write target %d: %w", i+1, err)
		}
	}
	return nil
}
