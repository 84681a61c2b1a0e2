package rendered

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math/rand/v2"
	"time"

	"test/values"
)

// Server has a renderer, as echo does.
type Server struct{ Renderer Renderer }

type Renderer interface {
	Render(w io.Writer, name string, data any, c Context) error
}

type Context interface {
	Echo() *Server
	Param(name string) string
	HTML(code int, text string) error
	Render(code int, name string, data any) error
}

type request struct {
	server *Server
	group  string
	answer string
}

func (r *request) Echo() *Server            { return r.server }
func (r *request) Param(name string) string { return r.group }
func (r *request) HTML(code int, text string) error {
	r.answer = fmt.Sprint(code, text)
	return nil
}

func (r *request) Render(code int, name string, data any) error {
	if r.server.Renderer == nil {
		return errors.New("no renderer")
	}
	var out bytes.Buffer
	if err := r.server.Renderer.Render(&out, name, data, r); err != nil {
		return err
	}
	return r.HTML(code, out.String())
}

type templates struct{ all *template.Template }

func (t *templates) Render(w io.Writer, name string, data any, c Context) error { // want `Keep the pages that c.Render renders`
	// This line has the cost of all handlers.
	return t.all.ExecuteTemplate(w, name, data)
}

type list struct {
	Title, Group string
	Wares        []string
}

var wares = []string{"a", "<b>"}

var page = template.Must(template.New("list").Parse("{{.Title}} {{.Group}} {{range .Wares}}{{.}}{{end}}"))

func Show(c Context) error {
	group := c.Param("group")
	return c.Render(200, "list", list{Title: "Wares", Group: group, Wares: wares})
}

// Page writes a page whose data is made before.
func Page(w io.Writer, title string, n int) error {
	data := list{Title: title, Group: fmt.Sprint(n), Wares: wares}
	return page.Execute(w, data) // want `Keep the pages that page.Execute renders`
}

// The data is read from elsewhere, or has the time.
func Others(w io.Writer, l *list) error {
	if err := page.Execute(w, l); err != nil {
		return err
	}
	return page.Execute(w, list{Title: time.Now().String()[:1], Wares: l.Wares})
}

func Try(r *rand.Rand) string {
	c := &request{server: &Server{&templates{page}}, group: values.String(r)}
	if r.IntN(8) == 0 {
		c.server.Renderer = nil
	}
	err := Show(c)
	var a, b bytes.Buffer
	title := []string{"x", values.String(r)}[r.IntN(2)]
	return fmt.Sprint(c.answer, err, Page(&a, title, r.IntN(2)), a.String(), Others(&b, &list{Title: title}), b.String())
}
