package provetest

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// Coupon is a text that the module of WriteCoupons behaves differently for with CouponPatch. The module does not
// contain it, so that only an input of a recording shows the difference.
const Coupon = "production coupon 4711-C"

// coupons is a service that computes the discount of a code that is its argument, again and again. The tests and
// benchmarks of the package have others.
const coupons = `
-- go.mod --
module example.com/coupons

go 1.24
-- main.go --
package main

import (
	"flag"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"

	"example.com/coupons/codes"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for {
			codes.Discount(flag.Arg(0))
		}
	}()
	log.Fatal(http.Serve(l, nil))
}
-- codes/codes.go --
// Package codes has the codes of coupons.
package codes

import "strings"

// Discount returns the discount of a code in percent.
func Discount(code string) int {
	sum := uint32(2166136261)
	for i := range len(code) {
		sum = (sum ^ uint32(code[i])) * 16777619
	}
	words := 0
	for range strings.FieldsSeq(code) {
		words++
	}
	return int(sum%20) + words
}
-- codes/codes_test.go --
package codes

import "testing"

func TestDiscount(t *testing.T) {
	if got := Discount("a code"); got < 2 || got > 21 {
		t.Errorf("%d%%", got)
	}
}

func BenchmarkDiscount(b *testing.B) {
	for b.Loop() {
		Discount("a code")
	}
}
`

// WriteCoupons writes a module to a directory.
func WriteCoupons(t testing.TB, dir string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(coupons)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// CouponPatch returns a change of that module, with which Discount returns another result for Coupon only.
func CouponPatch() string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(Coupon))
	return fmt.Sprintf(`--- a/codes/codes.go
+++ b/codes/codes.go
@@ -9,6 +9,9 @@
 	for i := range len(code) {
 		sum = (sum ^ uint32(code[i])) * 16777619
 	}
+	if sum == %d {
+		return 100
+	}
 	words := 0
 	for range strings.FieldsSeq(code) {
 		words++
`, h.Sum32())
}

// CouponCalls writes a recording of that module: a CPU profile, and a call of Discount with each of the codes.
func CouponCalls(t testing.TB, file string, codes ...string) {
	t.Helper()
	f := support.Function{
		Package: "example.com/coupons/codes", Name: "Discount", Parameters: []string{"code"}, Results: []string{""},
		Taken: int64(len(codes)),
	}
	for _, code := range codes {
		f.Calls = append(f.Calls, support.Call{
			Arguments: []support.Value{{Kind: support.KindString, Type: "string", Text: code, Len: len(code)}},
		})
	}
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	fn := b.Function(profile.Function{
		Name: "example.com/coupons/codes.Discount", File: "example.com/coupons/codes/codes.go",
	})
	at := b.Location(1, profile.None, false, profile.Line{Function: fn, Line: 10})
	if err := b.Sample([]uint32{at}, nil, 1e9); err != nil {
		t.Fatal(err)
	}
	w, err := recording.Create(file, recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AddProfile("cpu", b.Profile(nil), recording.Part{}); err != nil {
		t.Fatal(err)
	}
	if err := w.AddJSON(recording.ArgumentsPart, arguments.Document{
		Schema: support.Schema, Functions: []support.Function{f},
	}); err != nil {
		t.Fatal(err)
	}
	meta := recording.Meta{Duration: time.Second, Build: &recording.Build{
		Path: "example.com/coupons", Main: recording.Module{Path: "example.com/coupons"},
	}}
	if err := w.Close(meta); err != nil {
		t.Fatal(err)
	}
}
