package own

import "strings"

// read looks at what is there already.
func read(s string) string {
	b := make([]byte, 0, 32)
	b = append(b, s...)
	if len(b) > 3 {
		b = append(b, '!')
	}
	return string(b)
}

func Read(s string) string { return read(s) + "." }

// other does not return the buffer always.
func other(s string) string {
	if s == "" {
		return "-"
	}
	b := make([]byte, 0, 32)
	b = append(b, s...)
	return string(b)
}

func Other(s string) string { return other(s) + "." }

func given(s string) (out string) {
	defer func() {
		if recover() != nil {
			out = "-"
		}
	}()
	b := make([]byte, 0, 32)
	b = append(b, s[1:]...)
	return string(b)
}

func Given(s string) string { return given(s) + "." }

func unnamed(string) string {
	b := make([]byte, 0, 32)
	b = append(b, "x"...)
	return string(b)
}

func Unnamed(s string) string { return unnamed(s) + "." }

func cut(s string) string {
	b := make([]byte, 0, 32)
	b = append(b, s...)
	b = b[:len(b)/2]
	return string(b)
}

func Cut(s string) string { return cut(s) + "." }

func plain(s string) string {
	b := make([]byte, 0, 32)
	b = append(b, s...)
	return string(b)
}

type holder struct{ to *strings.Builder }

// Held could find no Builder before its text is made, and with a fix after.
func (h *holder) Held(s string) { h.to.WriteString(plain(s) + ".") }

// Condition has no place for statements before it.
func Condition(s string) bool {
	if x := plain(s) + "."; x != "" {
		return true
	}
	return plain(s)+"." == s
}

var variable = plain("x") + "."

func Literal(s string) []string { return []string{plain(s) + "."} }

// branched appends to another slice with the same beginning.
func branched(s string) string {
	b := make([]byte, 0, 32)
	b = append(b, s...)
	c := append(b, 'x')
	_ = string(c)
	return string(b)
}

func Branched(s string) string { return branched(s) + "." }

// again begins anew.
func again(s string) string {
	n := 0
begin:
	b := make([]byte, 0, 32)
	b = append(b, s...)
	if n++; n < 3 {
		goto begin
	}
	return string(b)
}

func Again(s string) string { return again(s) + "." }
