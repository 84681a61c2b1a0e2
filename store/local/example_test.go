package local_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
)

func Example() {
	dir, err := os.MkdirTemp("", "store-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := local.Open(dir, local.Options{Create: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	ctx := context.Background()
	for minute := range 3 {
		b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		f := b.Function(profile.Function{Name: "main.handle", File: "main.go"})
		loc := b.Location(0x1000, profile.None, false, profile.Line{Function: f, Line: 7})
		if err := b.Sample([]uint32{loc}, nil, 1e9); err != nil {
			fmt.Println(err)
			return
		}
		err := s.Write(ctx, "", []store.Profile{{
			Service: "shop", Kind: "cpu", Start: time.Date(2026, 5, 4, 3, minute, 0, 0, time.UTC), Data: b.Profile(nil),
			Labels: store.NewLabels(map[string]string{"version": "v1"}),
		}})
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	matchers, err := store.ParseMatchers(`{version="v1"}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, stats, err := s.Merge(ctx, store.Query{Matchers: matchers, From: time.Date(2026, 5, 4, 3, 1, 0, 0, time.UTC)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(stats.Profiles, "profiles,", time.Duration(p.Value(0, 0)))
	// Output: 2 profiles, 2s
}
