package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/whet-go/whet/examples/page/shop"
)

func TestPage(t *testing.T) {
	h := newService(shop.Goods()).Handler()
	for _, test := range []struct {
		method, target string
		status         int
		has, hasNot    string
	}{
		{"GET", "/", 200, "<title>Everything for you</title>", "Nothing today"},
		{"GET", "/?visitor=Ann", 200, "<h1>Good day, Ann!</h1>", "you"},
		{"GET", "/?group=tea", 200, "<title>tea for you</title>", "good-1001"}, // which is coffee
		{"GET", "/?visitor=%3Cscript%3E", 200, "<h1>Good day, &lt;script&gt;!</h1>", ", <script>"},
		{"GET", "/?visitor=" + strings.Repeat("x", 101), 400, "visitor: 101 bytes, more than 100\n", "<"},
		{"GET", "/?group=milk", 400, "unknown group \"milk\" (want one of tea, coffee, cocoa)\n", "<"},
		{"GET", "/?order=size", 400, "unknown order \"size\" (want name or price)\n", "<"},
		{"POST", "/", 405, "Method Not Allowed", "<"},
		{"GET", "/other", 404, "404 page not found", "<"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, test.target, nil))
		if body := w.Body.String(); w.Code != test.status ||
			!strings.Contains(body, test.has) || strings.Contains(body, test.hasNot) {
			t.Errorf("%s %s: %d, want %d; %q in it: %v; %q: %v", test.method, test.target, w.Code, test.status,
				test.has, strings.Contains(body, test.has), test.hasNot, strings.Contains(body, test.hasNot))
		}
	}
}

func TestSelect(t *testing.T) {
	goods := []shop.Good{
		{Number: 3, Name: "b", Group: "tea", Cents: 10},
		{Number: 1, Name: "c", Group: "tea", Cents: 10},
		{Number: 4, Name: "a", Group: "cocoa", Cents: 5},
		{Number: 2, Name: "b", Group: "tea", Cents: 20},
	}
	for _, test := range []struct{ group, order, want string }{
		{"", "", "1 2 3 4"},
		{"", "name", "4 2 3 1"},
		{"", "price", "4 1 3 2"},
		{"tea", "price", "1 3 2"},
		{"coffee", "", ""},
	} {
		var got []string
		for _, g := range selectGoods(goods, test.group, test.order) {
			got = append(got, string(rune('0'+g.Number)))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("group %q, order %q: %v, want %s", test.group, test.order, got, test.want)
		}
	}
}

// TestService starts the whole service and requests a page and a profile.
func TestService(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-addr", "127.0.0.1:0", "-pprof", "127.0.0.1:0"}, in)
		_ = in.Close()
	}()
	addresses := map[string]string{}
	for scanner := bufio.NewScanner(out); len(addresses) < 2 && scanner.Scan(); {
		if what, address, ok := strings.Cut(scanner.Text(), " on "); ok {
			addresses[what] = address
		}
	}
	if len(addresses) < 2 {
		t.Fatalf("service ended: %v", <-ended)
	}
	if got := get(t, addresses["page"]+"?visitor=Ann"); !strings.Contains(got, "Good day, Ann!") ||
		!strings.HasSuffix(got, "</html>\n") {
		t.Errorf("the page of %d bytes does not greet Ann, or does not end", len(got))
	}
	if got := get(t, addresses["pprof"]+"cmdline"); !strings.HasPrefix(got, os.Args[0]) {
		t.Errorf("pprof says the command line is %q", got)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("service ended: %v", err)
	}
}

func get(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

func TestFlagsAreChecked(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-addr", "127.0.0.1:0", "-pprof", "0.0.0.0:0"}, "not a loopback address"},
		{[]string{"extra"}, `unexpected argument "extra"`},
	} {
		err := run(t.Context(), test.args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want one with %q", test.args, err, test.want)
		}
	}
}
