package rerender

import (
	"html/template"
	"io"
	"strings"
	"time"
)

type changing struct {
	goods []string
	page  *template.Template
	store interface{ Goods() []string }
}

func (c *changing) Add(good string) { c.goods = append(c.goods, good) }

func (c *changing) Page(w io.Writer, group string) error { return c.page.Execute(w, c.goods) }

func (c *changing) Stored(w io.Writer, group string) error { return c.page.Execute(w, c.store.Goods()) }

func (c *changing) Whole(w io.Writer, group string) error { return c.page.Execute(w, c) }

func (c *changing) Count(w io.Writer, group string) error { return c.page.Execute(w, visits()) }

func clock(w io.Writer, group string) error { return plain.Execute(w, time.Now()) }

func pointed(w io.Writer, in *Input) error { return plain.Execute(w, in) }

func number(w io.Writer, f float64) error { return plain.Execute(w, f) }

func called(w io.Writer, f func() string) error { return plain.Execute(w, f()) }

func function(w io.Writer, name string) error { return plain.Execute(w, map[string]any{"f": visits}) }

func twice(w io.Writer, name string) error {
	if _, err := io.WriteString(w, "<html>"); err != nil {
		return err
	}
	return plain.Execute(w, name)
}

func generic[T ~string](w io.Writer, t T) error { return plain.Execute(w, t) }

var visited int

func visits() int {
	visited++
	return visited
}

var external = template.Must(template.New("").Parse("x"))

func reset() { external = nil }

func replaced(w io.Writer, name string) error { return external.Execute(w, name) }

var store = map[string]string{}

func cached(w io.Writer, name string) error {
	page, ok := store[name]
	if !ok {
		var out strings.Builder
		if err := render(&out, name); err != nil {
			return err
		}
		page = out.String()
		store[name] = page
	}
	_, err := io.WriteString(w, page)
	return err
}

func render(w io.Writer, name string) error { return plain.Execute(w, name) }
