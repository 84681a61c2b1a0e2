package percall

import (
	"encoding/base64"
	"fmt"
	htmltemplate "html/template"
	"math/rand/v2"
	"regexp"
	"strings"
	"text/template"

	"test/values"
)

const digits = `[0-9]+`

// Has is documented: the variable goes before this.
func Has(text string) bool {
	return regexp.MustCompile(`order ` + digits).MatchString(text) // want `compiled on each call`
}

func First(text string) string {
	re := regexp.MustCompile(`\s(\w+)`) // want `compiled on each call`
	if !re.MatchString(text) {
		return ""
	}
	return re.FindStringSubmatch(text)[1]
}

func Local(text string) bool {
	const pattern = "^a|b$"
	return regexp.MustCompile(pattern).MatchString(text) // want `compiled on each call`
}

func Longest(text string) string {
	re := regexp.MustCompile(`a+|a+b`) // want `compiled on each call`
	re.Longest()
	return re.FindString(text)
}

func Escapes() *regexp.Regexp {
	return regexp.MustCompile(`x`) // want `compiled on each call`
}

func Word(text string) bool {
	found, _ := regexp.MatchString("auctor", text) // want `compiled on each call`
	return found
}

func WordOrError(text string) (bool, error) {
	return regexp.MatchString("auctor", text) // want `compiled on each call`
}

func Raw(text []byte) (found bool) {
	found, _ = regexp.Match(`[^a-z]`, text) // want `compiled on each call`
	return found
}

type Named struct{ s string }

func (n Named) Clean() string {
	return strings.NewReplacer(":", "_", "|", "_", "é", "e").Replace(n.s) // want `replacer is built on each call`
}

func (n *Named) CleanToo() string {
	r := strings.NewReplacer("<", "&lt;", ">", "&gt;") // want `replacer is built on each call`
	return r.Replace(n.s)
}

func Encode(b []byte) string {
	e := base64.NewEncoding("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") // want `encoding is built on each call`
	return e.EncodeToString(b)
}

func Text(s string) string {
	var b strings.Builder
	t := template.Must(template.New("t").Parse(`<{{.}}>`)) // want `template is parsed on each call`
	if err := t.Execute(&b, s); err != nil {
		return err.Error()
	}
	if err := htmltemplate.Must(htmltemplate.New("h").Parse(`<a title="{{.}}">`)).Execute(&b, s); err != nil { // want `template is parsed on each call`
		return err.Error()
	}
	return b.String()
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	found, err := WordOrError(s)
	return fmt.Sprint(Has(s), Has("order "+s), First(s), Local(s), Longest(s), Word(s), found, err, Raw([]byte(s)),
		Named{s}.Clean(), (&Named{s}).CleanToo(), Encode([]byte(s)), Text(s))
}
