package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"test/values"
)

type level int

func (l level) String() string { return strings.Repeat("!", int(l)) }

type id [2]byte

var layout = "%s/%d"

var changing = "%s"

func Stringer(l level, err error) string {
	return fmt.Sprintf("%v: %s", l, err) // want `Concatenate`
}

func Quoted(l level, d time.Duration) string {
	return fmt.Sprintf("%q took %d ns", l, d) // want `Concatenate`
}

func Variable(name string, n int) string {
	return fmt.Sprintf(layout, name, n) // want `Concatenate`
}

func Padded(n int, b byte) string {
	return fmt.Sprintf("%05d-%02x", n, b) // want `Concatenate`
}

func Hexadecimal(s string, b []byte) string {
	return fmt.Sprintf("%x %x", s, b) // want `Concatenate`
}

func Line(name string, n int) string {
	return fmt.Sprintln(name, n, n) // want `Concatenate`
}

func Failed(name string, err error) error {
	return fmt.Errorf("%s: %v", name, err) // want `Make the error`
}

func Written(w io.Writer, name string, l level) (int, error) {
	return fmt.Fprintf(w, "%s=%v\n", name, l) // want `Write the concatenated text`
}

func Wrapped(err error) error { return fmt.Errorf("read: %w", err) }

func Wide(n int) string { return fmt.Sprintf("%5d", n) }

func Array(x id) string { return fmt.Sprintf("%x", x) }

func Any(x any) string { return fmt.Sprintf("%v", x) }

func Changing(name string) string {
	changing += ""
	return fmt.Sprintf(changing, name)
}

func Flags(x []int) string { return fmt.Sprintf("%+v", x) }

func Interface(s fmt.Stringer, err error) string {
	return fmt.Sprintf("%v %v %s", s, err, err) // want `Concatenate`
}

func QuotedInterface(err error) string { return fmt.Sprintf("%q", err) }

func Try(r *rand.Rand) string {
	l, err := level(r.IntN(4)), errors.New(values.String(r))
	if r.IntN(3) == 0 {
		err = nil
	}
	var s fmt.Stringer
	if r.IntN(2) == 0 {
		s = l
	}
	var w bytes.Buffer
	n, werr := Written(&w, values.String(r), l)
	return fmt.Sprint(Interface(s, err), Stringer(l, err), Quoted(l, time.Duration(values.Int(r))), Variable(values.String(r), values.Int(r)),
		Padded(values.Int(r), byte(values.Int(r))), Hexadecimal(values.String(r), values.Bytes(r)),
		Line(values.String(r), values.Int(r)), Failed(values.String(r), err).Error(), w.String(), n, werr)
}
