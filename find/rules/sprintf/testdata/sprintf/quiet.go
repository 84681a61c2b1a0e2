package sprintf

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"time"
)

var started = fmt.Sprintf("%s", time.Now())

func Methods(n named, d time.Duration, err error) string {
	return fmt.Sprintf("%s %v", n, d) + fmt.Sprintf("%v", err) + fmt.Sprint(errors.New("x"))
}

func Flags(n int, s string, x float64) string {
	return fmt.Sprintf("%5d", n) + fmt.Sprintf("%-3s", s) + fmt.Sprintf("%+v", n) + fmt.Sprintf("%[1]d %[1]d", n) +
		fmt.Sprintf("%.2s", s) + fmt.Sprintf("%6.2f", x) + fmt.Sprintf("%X", n) + fmt.Sprintf("%x", s) + fmt.Sprintf("%*d", n%4, n) +
		fmt.Sprintf("%#v", s) + fmt.Sprintf(s, n) + fmt.Sprintln(s) + fmt.Sprintf("%v", []byte(s)) + fmt.Sprintf("%T", n) + fmt.Sprintf("%.3g", x)
}

func Generic[S ~string, N ~int](s S, n N) string { return fmt.Sprintf("%s %d", s, n) }

func Written(s string) string {
	var out bytes.Buffer
	w := bufio.NewWriterSize(&out, 16)
	fmt.Fprintf(w, "a %s b %s", s, s)
	if err := w.Flush(); err != nil {
		return err.Error()
	}
	args := []any{s, 1}
	fmt.Fprintf(&out, "%s%d", args...)
	fmt.Fprintf(&out, "%v", struct{ s string }{s})
	return out.String()
}

func Wrong(n int, s string) string {
	return fmt.Sprintf("%s", n) + fmt.Sprintf("%d", s) + fmt.Sprintf("%s") + fmt.Sprintf("x", s) + fmt.Sprintf("%") + fmt.Sprintf("%!")
}
