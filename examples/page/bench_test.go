package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/whet-go/whet/examples/page/shop"
)

// discard is a ResponseWriter that costs almost nothing: the work of a recorder would hide what is
// compared.
type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// benchmarkPage requests the pages of the queries in turn; next returns the query. The first before
// pages are requested once before the measurement, because a service runs for a long time.
func benchmarkPage(b *testing.B, before int, next func(i int) (query string)) {
	h := newService(shop.Goods()).Handler()
	w := discard{header: http.Header{}}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	ask := func(i int) {
		r.URL.RawQuery = next(i)
		clear(w.header)
		h.ServeHTTP(w, r)
	}
	for i := range before {
		ask(i)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		ask(i)
	}
}

// BenchmarkPage has visitors who all request the same page, with all goods.
func BenchmarkPage(b *testing.B) { benchmarkPage(b, 1, func(int) string { return "" }) }

// BenchmarkPageVisitors has twenty visitors who return.
func BenchmarkPageVisitors(b *testing.B) {
	var queries [20]string
	for i := range queries {
		queries[i] = fmt.Sprintf("group=tea&order=price&visitor=%d", i)
	}
	benchmarkPage(b, len(queries), func(i int) string { return queries[i%len(queries)] })
}

// BenchmarkPageStrangers has visitors who never return: no page is requested twice.
func BenchmarkPageStrangers(b *testing.B) {
	benchmarkPage(b, 0, func(i int) string { return fmt.Sprintf("group=tea&order=price&visitor=%d", i) })
}

func BenchmarkSelect(b *testing.B) {
	goods := shop.Goods()
	b.ReportAllocs()
	for b.Loop() {
		selectGoods(goods, "tea", "price")
	}
}
