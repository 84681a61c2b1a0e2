package textarena

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

// chain contains itself, so it is unknown how deep a value goes.
type chain struct {
	Texts []string
	Next  *chain
}

func Chained(texts []string) string {
	var upper []string
	for _, text := range texts {
		upper = append(upper, Lower(text))
	}
	b, err := json.Marshal(&chain{Texts: upper})
	return fmt.Sprint(string(b), err)
}

func Lower(text string) string { return string(append([]byte("l"), text...)) }

type answer struct {
	Texts []string `json:"texts"`
	Count int
}

// Upper is documented.
func Upper(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 32
		}
	}
	return string(b) // want `each string that Upper returns is allocated separately`
}

func Marshal(texts []string) string {
	var upper []string
	for _, text := range texts {
		upper = append(upper, Upper(text))
	}
	b, err := json.Marshal(answer{Texts: upper, Count: len(upper)})
	return fmt.Sprint(string(b), err)
}

func Listed(texts []string) string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = Coded(text, "<", ">")
	}
	return strings.Join(list, ",")
}

// Returned keeps them: who knows how long the caller needs one of them.
func Returned(texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = Coded(text, "<", ">")
	}
	return list
}

func Coded(text string, around ...string) string {
	if text == "" {
		return "none"
	}
	if len(around) > 1 {
		return string(append([]byte(around[0]), text...)) // want `each string that Coded returns`
	}
	return string(hex.AppendEncode(nil, []byte(text))) // want `each string that Coded returns`
}

type coder struct{ room int }

func (c *coder) code(text string) string {
	at := c.room
	return string(append(make([]byte, at), text...)) // want `each string that code returns`
}

func (c *coder) Joined(texts []string) string {
	var list []string
outer:
	for {
		for _, text := range texts {
			list = append(list, c.code(text))
		}
		break outer
	}
	return strings.Join(list, "|")
}

// Single is called outside of loops, or its text is not collected.
func Single(text string) string { return string(append([]byte("<"), text...)) }

func Singles(texts []string) (n int) {
	for _, text := range texts {
		n += len(Single(text))
	}
	return n
}

func EachTurn(texts []string) (n int) {
	for _, text := range texts {
		var list []string
		list = append(list, Single(text))
		n += len(list)
	}
	return n
}

// Mixed returns what is not made here.
func Mixed(text string) string {
	if len(text) < 3 {
		return text
	}
	return string(append([]byte("<"), text...))
}

func Mixing(texts []string) (list []string) {
	for _, text := range texts {
		list = append(list, Mixed(text))
	}
	return list
}

// Named has a named result, but no code uses the name.
func Named(text string) (result string) {
	return string([]byte(text))
}

func Naming(texts []string) (list []string) {
	for _, text := range texts {
		list = append(list, Named(text))
	}
	return list
}

func Blank(string, int) string { return string([]byte{1}) }

func Blanks(texts []string) (list []string) {
	for _, text := range texts {
		list = append(list, Blank(text, 1))
	}
	return list
}

type text []byte

func (t text) String() string { return string([]byte(t)) } // want `each string that String returns`

func Strings(texts []string) string {
	var list []string
	for _, s := range texts {
		list = append(list, text(s).String())
	}
	return strings.Join(list, "")
}

func Try(r *rand.Rand) string {
	texts := values.Strings(r)
	c := &coder{r.IntN(3)}
	return fmt.Sprintf("%q", []any{
		Marshal(texts), Listed(texts), Returned(texts), c.Joined(texts), Singles(texts), EachTurn(texts), Mixing(texts),
		Naming(texts), Blanks(texts), Strings(texts), Chained(texts), Upper(values.String(r)), Coded(values.String(r)),
	})
}
