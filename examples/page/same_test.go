package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/quick"

	"github.com/whet-go/whet/examples/page/fast"
	"github.com/whet-go/whet/examples/page/shop"
	"github.com/whet-go/whet/examples/page/slow"
)

// queries are inputs of every kind.
func queries() []string {
	return []string{
		"", "visitor=Ann", "group=tea", "group=tea&order=price", "order=name&visitor=Ann",
		"group=coffee&order=name&visitor=%C3%89va+Nov%C3%A1k",
		"visitor=%3Cscript%3Ealert(1)%3C/script%3E", "visitor=%22%27%26%3C%3E%60%5C", "visitor=%00%01%7f",
		"visitor=%ff%fe", "visitor=%E2%80%A8", "visitor=tea", "visitor=&group=",
		"visitor=a&visitor=b", "visitor=a;b", "visitor=%zz", "visitor=%F0%9F%98%80", "other=1",
		"group=tea&visitor=price", "order=price&visitor=tea",
		"group=other", "order=other", "group=TEA", "visitor=" + strings.Repeat("x", 100),
		"visitor=" + strings.Repeat("x", 101), "visitor=%7B%7B.%7D%7D", "visitor=javascript:alert(1)",
	}
}

// both are the two services, which serve a whole test: one request must not affect the next.
type both struct{ slow, fast http.Handler }

func newBoth(goods []shop.Good) both {
	return both{slow.New(goods).Handler(), fast.New(goods).Handler()}
}

// differ sends both the same request and returns how the answers differ; "" if they do not.
func (b both) differ(method, query string) string {
	s, f := ask(b.slow, method, query), ask(b.fast, method, query)
	if s.Code != f.Code || !bytes.Equal(s.Body.Bytes(), f.Body.Bytes()) ||
		!maps.EqualFunc(s.Header(), f.Header(), slices.Equal) {
		return fmt.Sprintf(
			"%s ?%s: slow %d %v %.300q, fast %d %v %.300q", method, query, s.Code, s.Header(), s.Body, f.Code,
			f.Header(), f.Body,
		)
	}
	return ""
}

func ask(h http.Handler, method, query string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, &http.Request{
		Method: method, URL: &url.URL{Path: "/", RawQuery: query}, Header: http.Header{}, Body: http.NoBody,
	})
	return w
}

func TestSame(t *testing.T) {
	b := newBoth(shop.Goods()[:60])
	for range 2 { // the second time from what was kept
		for _, query := range queries() {
			if d := b.differ(http.MethodGet, query); d != "" {
				t.Error(d)
			}
		}
	}
	for _, method := range []string{http.MethodHead, http.MethodPost} {
		if d := b.differ(method, ""); d != "" {
			t.Error(d)
		}
	}
}

func TestSameOfNoGoods(t *testing.T) {
	b := newBoth(nil)
	for _, query := range queries() {
		if d := b.differ(http.MethodGet, query); d != "" {
			t.Error(d)
		}
	}
}

// TestSameInputs has inputs that would be equal if they were only concatenated.
func TestSameInputs(t *testing.T) {
	goods := shop.Goods()[:9]
	before, after := slow.New(goods), fast.New(goods)
	for range 2 {
		for _, in := range []shop.Input{
			{},
			{Visitor: "tea"},
			{Group: "tea"},
			{Visitor: "teaprice"},
			{Visitor: "tea", Order: "price"},
			{Group: "tea", Order: "price"},
			{Visitor: "\x00tea"},
			{Visitor: "&group=tea"},
			{Visitor: "tea\x00price"},
			{Visitor: `tea" "price`},
		} {
			var s, f bytes.Buffer
			if err := errors.Join(before.Page(&s, in), after.Page(&f, in)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(s.Bytes(), f.Bytes()) {
				t.Errorf("%+v: %q slow, %q fast", in, s.Bytes(), f.Bytes())
			}
		}
	}
}

func TestSameSelect(t *testing.T) {
	same := func(seeds []uint16, group, order uint8) bool {
		goods := make([]shop.Good, len(seeds))
		for i, seed := range seeds {
			// Few prices and names, so that many are equal.
			goods[i] = shop.Good{
				Number: len(seeds) - i, Name: string(rune('a' + seed%5)),
				Cents: int(seed / 5 % 5), Group: shop.Groups()[seed/25%3],
			}
		}
		groups, orders := append(shop.Groups(), "", "none"), []string{"", "name", "price"}
		g, o := groups[int(group)%len(groups)], orders[int(order)%len(orders)]
		return slices.EqualFunc(slow.Select(goods, g, o), fast.Select(goods, g, o), func(a, b shop.Good) bool {
			return a.Number == b.Number && a.Name == b.Name && a.Cents == b.Cents && a.Group == b.Group
		})
	}
	if err := quick.Check(same, &quick.Config{MaxCount: 500}); err != nil {
		t.Error(err)
	}
}

// TestSameConcurrently has many simultaneous visitors, some with the same query: none may see the
// name of another.
func TestSameConcurrently(t *testing.T) {
	goods := shop.Goods()[:12]
	b := newBoth(goods)
	var visitors sync.WaitGroup
	for visitor := range 8 {
		visitors.Go(func() {
			for i := range 60 {
				query := fmt.Sprintf("visitor=visitor-%d&group=%s", (visitor+i)%10, shop.Groups()[i%3])
				if d := b.differ(http.MethodGet, query); d != "" {
					t.Error(d)
				}
			}
		})
	}
	visitors.Wait()
}

// FuzzSame sends each request twice to both: the second answer of the fast version is a cached
// page.
func FuzzSame(f *testing.F) {
	for _, query := range queries() {
		f.Add("GET", query)
	}
	f.Add("HEAD", "visitor=Ann")
	b := newBoth(shop.Goods()[:4])
	f.Fuzz(func(t *testing.T, method, query string) {
		for range 2 {
			if d := b.differ(method, query); d != "" {
				t.Error(d)
			}
		}
	})
}
