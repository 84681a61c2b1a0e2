package pages

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"unicode"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/report/layout"
)

// A DataPage is an HTML file with data and the script that draws it.
type DataPage struct {
	Mark, ID, Title, Script, Without string
	Draws                            string // what the page does, for readers without scripts; "" is: is drawn
	Data                             any    // encoded as JSON
	Packed                           []byte // instead of Data, in base64; nil for none
	Served                           bool   // by a server, which the script may query
	// Within are the scripts of pages that this one has in frames.
	Within []string
}

// Policy returns the page's content security policy, which allows only its script and those of its frames.
func (p DataPage) Policy() string {
	policy := "default-src 'none'; script-src"
	for _, script := range append([]string{p.Script}, p.Within...) {
		sum := sha256.Sum256([]byte(script))
		policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	policy += "; base-uri 'none'; form-action 'none'"
	if p.Served {
		policy += "; connect-src 'self'"
	}
	return policy
}

// WriteData writes the page.
func WriteData(w io.Writer, p DataPage) error {
	kind, text := "application/octet-stream", base64.StdEncoding.EncodeToString(p.Packed)
	if p.Packed == nil {
		data, err := json.Marshal(p.Data) // escapes < and >, so it is safe inline
		if err != nil {
			return fmt.Errorf("write page: %w", err)
		}
		kind, text = "application/json", string(data)
	}
	network := "It makes no network request; "
	if p.Served {
		network = "It makes requests only to the server it came from; "
	}
	_, err := io.WriteString(w, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+p.Mark+"\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\""+p.Policy()+"\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
		"<meta name=\"color-scheme\" content=\"light dark\">\n"+
		"<title>"+html.EscapeString(Clip(Printable(p.Title), 200))+"</title>\n</head>\n<body>\n"+
		"<noscript>This page "+cmp.Or(p.Draws, "is drawn")+" with JavaScript, which is off. "+network+p.Without+
		"</noscript>\n"+
		"<script type=\""+kind+"\" id=\""+p.ID+"\">"+text+"</script>\n<script>"+p.Script+
		"</script>\n</body>\n</html>\n")
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// Clip shortens s to about n bytes at rune boundaries and keeps both ends.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const dots = "…"
	head := (n - len(dots)) * 6 / 10
	tail := len(s) - (n - len(dots) - head)
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + dots + s[tail:]
}

// Printable makes foreign text safe to show: bytes that are not UTF-8, control characters and those
// that change the direction of writing become Go escapes.
func Printable(s string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(s)+len(s)/4)
	for i, w := 0, 0; i < len(s); i += w {
		var r rune
		r, w = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && w == 1, r < 0x80 && !unicode.IsPrint(r):
			b = append(b, '\\', 'x', hex[s[i]>>4], hex[s[i]&15])
		case unicode.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
	}
	return string(b)
}

// A Fact is a name and a value shown above the content of a page.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Facts are shown in order.
type Facts []Fact

// Add appends a fact, unless it has no value.
func (f *Facts) Add(name, value string) {
	if value != "" {
		*f = append(*f, Fact{Name: name, Value: value})
	}
}

// A Table is a table on a page. The first cell of each row is its name.
type Table struct {
	Caption string     `json:"caption"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// CleanAll cleans each text.
func CleanAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = layout.Clean(s)
	}
	return out
}

// Clips are the lengths to which names are clipped, in the order tried.
var Clips = [...]int{1024, 256, 96}
