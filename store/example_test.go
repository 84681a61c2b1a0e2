package store_test

import (
	"fmt"

	"github.com/whet-go/whet/store"
)

func ExampleParseMatchers() {
	matchers, err := store.ParseMatchers(`{service="shop",version!="v1",host=~"web.*"}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	q := store.Query{Matchers: matchers}
	for _, host := range []string{"web1", "db1"} {
		fmt.Println(q.Matches("shop", "cpu", store.NewLabels(map[string]string{"host": host, "version": "v2"})))
	}
	// Output:
	// true
	// false
}
