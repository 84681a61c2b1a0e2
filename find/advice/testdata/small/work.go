package small

import (
	"bytes"
	"encoding/json"
	"html/template"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

var (
	countries = "DE,FR,IT"
	changed   = "a,b"
)

func zones() []string { return strings.Split(countries, ",") }

func current() []string { return strings.Split(changed, ",") }

func since() string { return time.Now().String() + countries }

// A counter is changed by requests, each of which makes one.
type counter interface{ add(name string) }

type counts struct {
	names []string
	n     map[string]int
}

func (c *counts) add(name string) {
	c.n[name]++
	c.names = append(c.names, name)
}

func tally() counter {
	c := &counts{names: strings.Split(countries, ","), n: map[string]int{}}
	return c
}

func visits() map[string]int {
	return map[string]int{}
}

func table() map[string]string {
	return map[string]string{"all": strings.ToLower(countries)}
}

func set(s string) { changed = s }

func shipping(w http.ResponseWriter, r *http.Request) {
	_ = zones()   //@constant
	_ = current() //@changes
	_ = since()   //@clock
	_ = tally()   //@fresh
	_ = visits()  //@counter
	_ = table()   //@filled
	_ = upper(r.URL.Path)
}

func upper(s string) string {
	return strings.ToUpper(s) //@upper
}

func page(w http.ResponseWriter, r *http.Request) {
	t, err := template.ParseFiles("page.html") //@parses
	if err == nil {
		_ = t.Execute(w, nil)
	}
}

type head struct{ Kind string }

func kind(b []byte) (h head) {
	_ = json.Unmarshal(b, &h) //@kind
	return h
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h := kind(body) //@decodes1
	switch h.Kind {
	case "a":
		var v map[string]int
		_ = json.Unmarshal(body, &v) //@decodes2
	}
	other, _ := io.ReadAll(r.Body)
	var o head
	_ = json.Unmarshal(other, &o) //@decodesOther
}

func audited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var fields map[string]any
		_ = json.Unmarshal(body, &fields) //@audit
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r) //@next
	})
}

func handle(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var h head
	_ = json.Unmarshal(body, &h) //@handler
}

func start() {
	f, err := os.Create("log.txt") //@open
	if err != nil {
		log.Fatal(err) //@fatal
	}
	log.SetOutput(f) //@setOutput
}

func entry() {
	log.Print("entry") //@entry
}

func pages(names []string) (all []*template.Template) {
	for _, name := range names {
		all = append(all, template.Must(template.ParseFiles(name))) //@parsesAll
	}
	return all
}
