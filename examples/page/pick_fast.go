//go:build fast

package main

import (
	"github.com/whet-go/whet/examples/page/fast"
	"github.com/whet-go/whet/examples/page/shop"
)

// With -tags fast, the service is the fast one.

func newService(goods []shop.Good) *fast.Service { return fast.New(goods) }

func selectGoods(goods []shop.Good, group, order string) []shop.Good {
	return fast.Select(goods, group, order)
}
