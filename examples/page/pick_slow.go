//go:build !fast

package main

import (
	"github.com/whet-go/whet/examples/page/shop"
	"github.com/whet-go/whet/examples/page/slow"
)

// The service is the slow one, unless it is built with -tags fast.

func newService(goods []shop.Good) *slow.Service { return slow.New(goods) }

func selectGoods(goods []shop.Good, group, order string) []shop.Good {
	return slow.Select(goods, group, order)
}
