// Command page shows a page that a template renders for each request.
package main

import (
	"html/template"
	"io"
	"log"
	"net/http"
	_ "net/http/pprof"

	"github.com/labstack/echo"
	"github.com/labstack/echo/middleware"
)

type renderer struct {
	templates *template.Template
}

func (r *renderer) Render(w io.Writer, name string, data interface{}, c echo.Context) error {
	return r.templates.ExecuteTemplate(w, name, data)
}

func main() {
	go func() {
		log.Println(http.ListenAndServe("localhost:28084", nil))
	}()

	e := newServer()
	e.HideBanner = true
	e.Logger.Fatal(e.Start("localhost:28083"))
}

func newServer() *echo.Echo {
	e := echo.New()
	e.Renderer = &renderer{templates: template.Must(template.New("").Parse(pages))}
	e.Use(middleware.AddTrailingSlash())
	e.Use(middleware.CORS())
	e.GET("/", showList)
	return e
}
