package urlquery

import (
	"net/http"
	"net/url"
)

func Once(r *http.Request) string { return r.URL.Query().Get("a") }

func Form(r *http.Request) string { return r.FormValue("a") + r.FormValue("b") }

func Two(a, b *url.URL) string { return a.Query().Get("a") + b.Query().Get("a") }

func Variable(r *http.Request) string {
	q := r.URL.Query()
	return q.Get("a") + q.Get("b")
}

func Unknown(f func() *url.URL) string { return f().Query().Get("a") + f().Query().Get("b") }
