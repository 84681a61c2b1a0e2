package rerender

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"

	"test/values"
)

type Input struct {
	Visitor string
	Order   [2]int8
	inner   struct{ word string }
}

type Service struct {
	goods []string
	page  *template.Template
}

func New(goods []string) *Service {
	return &Service{goods, template.Must(template.New("page").Parse(`<p title="{{.In.Visitor}}">{{.In.Order}}{{range .Goods}}<i>{{.}}</i>{{end}}{{.Check}}</p>`))}
}

type view struct {
	In    Input
	Goods []string
}

func (v view) Check() (string, error) {
	if v.In.Visitor == "%s" {
		return "", errors.New("the visitor is a format")
	}
	return v.In.inner.word, nil
}

// Page writes the page for in.
func (s *Service) Page(w io.Writer, in Input) error { // want `Page renders the same page again`
	goods := choose(s.goods, in.Order[0] > 3)
	return s.page.Execute(w, view{in, goods})
}

func choose(goods []string, sorted bool) []string {
	goods = append([]string(nil), goods...)
	if sorted {
		sort.Slice(goods, func(i, j int) bool { return goods[i] < goods[j] })
	}
	return goods
}

var plain = template.Must(template.New("plain").Parse(`{{define "a"}}<b>{{.}}</b>{{end}}`))

type kind string

func write(key string, out io.Writer, n, m int) (err error) { // want `write renders the same page again`
	if n > 3 {
		return fmt.Errorf("%d is too much for %s", n, key)
	}
	return plain.ExecuteTemplate(out, "a", fmt.Sprint(key, n, m))
}

func named(out io.Writer, k kind) error { // want `named renders the same page again`
	return plain.ExecuteTemplate(out, "a", k)
}

func Try(r *rand.Rand) string {
	s, other := New([]string{"b", values.String(r), "c"}), New(nil)
	inputs := []Input{{}, {Visitor: "%s"}, {Visitor: values.String(r), Order: [2]int8{4}}, {Visitor: "x", inner: struct{ word string }{values.String(r)}}}
	texts := make([]string, 8)
	var wait sync.WaitGroup
	for i := range texts {
		in, n := inputs[r.IntN(len(inputs))], r.IntN(5)
		wait.Go(func() {
			var out strings.Builder
			err := errors.Join(s.Page(&out, in), other.Page(&out, in), write("a", &out, n, 1), write(in.Visitor, &out, 1, n), named(&out, kind(in.Visitor)))
			texts[i] = fmt.Sprint(out.String(), err)
		})
	}
	wait.Wait()
	return strings.Join(texts, "\n")
}
