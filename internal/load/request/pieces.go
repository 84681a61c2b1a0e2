package request

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/whet-go/whet/internal/diag"
)

// An escaping is how a value is escaped.
type escaping uint8

const (
	verbatim escaping = iota
	inPath
	inQuery
)

// A piece is a text or the value of a variable.
type piece struct {
	text     string
	column   int // of the variable; negative for text
	escaping escaping
}

// pieces is a text with variables in it.
type pieces []piece

// vars are the variables that a text may contain.
type vars struct {
	names []string // nil means none: braces are ordinary text
	rows  [][]string
}

// cut splits a text at its variables.
func (v vars) cut(text string) (pieces, error) {
	var out pieces
	add := func(s string) {
		if s != "" {
			out = append(out, piece{text: s, column: -1})
		}
	}
	for v.names != nil {
		before, rest, found := strings.Cut(text, "{{")
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return nil, &diag.Error{
				Op: "find", Subject: "the end of " + quote("{{"+rest), Err: errors.New("missing }}"),
				Hint: "close the variable with }}; a literal {{ can be the value of a variable",
			}
		}
		column := v.column(strings.TrimSpace(name))
		if column < 0 {
			return nil, &diag.Error{
				Op: "fill in", Subject: "{{" + clip(name) + "}}", Err: errors.New("unknown variable"),
				Hint: v.list(),
			}
		}
		add(before)
		out = append(out, piece{column: column})
		text = after
	}
	add(text)
	return out, nil
}

func (v vars) column(name string) int {
	for i, n := range v.names {
		if n == name {
			return i
		}
	}
	return -1
}

// list names the variables.
func (v vars) list() string {
	if len(v.names) == 0 {
		return "no variables are defined"
	}
	return "the variables are " + strings.Join(v.names, ", ")
}

// check reports whether the rows fit the names.
func (v vars) check() error {
	for i, name := range v.names {
		if v.column(name) != i {
			return &diag.Error{
				Op: "check variable", Subject: quote(name), Err: errors.New("duplicate name"),
				Hint: "give each variable a unique name",
			}
		}
	}
	for i, row := range v.rows {
		if len(row) != len(v.names) {
			return &diag.Error{
				Op: "check variables of", Subject: rowName(i), Err: fmt.Errorf("%d values (want %d)", len(row), len(v.names)),
				Hint: "give each row one value per variable",
			}
		}
	}
	return nil
}

// rowName counts rows from 1.
func rowName(i int) string { return fmt.Sprintf("row %d", i+1) }

// quote quotes the beginning of a text that may be long.
func quote(s string) string { return fmt.Sprintf("%q", clip(s)) }

func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// fixed reports whether p contains no variable.
func (p pieces) fixed() bool {
	return len(p) == 0 || len(p) == 1 && p[0].column < 0
}

// append appends p, with the values of row, to dst.
func (p pieces) append(dst []byte, row []string) []byte {
	for i := range p {
		dst = append(dst, p[i].value(row)...)
	}
	return dst
}

// string returns p with the values of row. It uses scratch and returns it.
func (p pieces) string(scratch []byte, row []string) (string, []byte) {
	switch len(p) {
	case 0:
		return "", scratch
	case 1:
		return p[0].value(row), scratch
	}
	scratch = p.append(scratch[:0], row)
	return string(scratch), scratch
}

func (p *piece) value(row []string) string {
	switch {
	case p.column < 0:
		return p.text
	case p.escaping == inPath:
		return url.PathEscape(row[p.column])
	case p.escaping == inQuery:
		return url.QueryEscape(row[p.column])
	}
	return row[p.column]
}

// uri makes the request URI from what follows the host in an address: it drops the fragment, marks
// the pieces of the path and of the query, and escapes the texts.
func (p pieces) uri() (pieces, error) {
	out := pieces{}
	now := inPath
	for _, it := range p {
		if it.column >= 0 {
			it.escaping = now
			out = append(out, it)
			continue
		}
		text, _, ends := strings.Cut(it.text, "#")
		it.text = ""
		if now == inPath {
			path, query, asks := strings.Cut(text, "?")
			escaped, err := escape(path)
			if err != nil {
				return nil, err
			}
			it.text, text = escaped, query
			if asks {
				it.text += "?"
				now = inQuery
			}
		}
		// Without a question mark, all of the text was in the path.
		if it.text += escapeQuery(text); it.text != "" {
			out = append(out, it)
		}
		if ends {
			break
		}
	}
	// The path cannot start with a variable: it would be in the host.
	if len(out) == 0 || out[0].text[0] != '/' {
		// An address without a path, as in http://host?query.
		out = append(pieces{{text: "/", column: -1}}, out...)
	}
	return out.join(), nil
}

// join merges consecutive texts.
func (p pieces) join() pieces {
	out := p[:1]
	for _, it := range p[1:] {
		if last := &out[len(out)-1]; it.column < 0 && last.column < 0 {
			last.text += it.text
		} else {
			out = append(out, it)
		}
	}
	return out
}

const hexDigits = "0123456789ABCDEF"

// escape percent-encodes what the path of a request must not contain (RFC 3986, section 3.3, and
// the square brackets that net/url accepts). What is encoded already is left unchanged.
func escape(path string) (string, error) {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		switch {
		case c == '%' && (i+2 >= len(path) || !isHex(path[i+1]) || !isHex(path[i+2])):
			return "", fmt.Errorf("%q is not an escaped byte", path[i:min(i+3, len(path))])
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c &&
			c <= '9', strings.IndexByte("/-._~!$&'()*+,;=:@[]%", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	return b.String(), nil
}

// escapeQuery percent-encodes what would break a request line, or what URL standards encode in a
// query; like net/url, it does not change the rest.
func escapeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' {
			b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
