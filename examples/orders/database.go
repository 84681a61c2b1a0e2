package main

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/whet-go/whet/examples/slowsql"
)

// roundTrip is the time of a query, as to a database in the same building.
const roundTrip = 300 * time.Microsecond

const (
	products  = 1000
	customers = 100
	perOwner  = 12 // orders of each customer
)

// openDatabase returns the shop's database, with what was sold until today.
func openDatabase() *sql.DB {
	goods := &slowsql.Table{Columns: []string{"id", "name", "price", "stock", "category"}}
	reviews := &slowsql.Table{Columns: []string{"product", "author", "text"}}
	for i := range int64(products) {
		goods.Rows = append(goods.Rows, []driver.Value{
			i, fmt.Sprintf("product %04d", i), 100 + 7*i, int64(1_000_000), fmt.Sprintf("category %d", i%50),
		})
		for n := range 3 {
			reviews.Rows = append(reviews.Rows, []driver.Value{
				i, fmt.Sprintf("reader %d", n), "It does what it should, and came on time.",
			})
		}
	}
	orders := &slowsql.Table{Columns: []string{"customer", "product", "count"}}
	for i := range int64(customers * perOwner) {
		orders.Rows = append(orders.Rows, []driver.Value{
			fmt.Sprintf("c%02d", i%customers), i * 37 % products, 1 + i%3,
		})
	}
	db := slowsql.Open(slowsql.Tables{"products": goods, "reviews": reviews, "orders": orders}, roundTrip)
	db.SetMaxIdleConns(64)
	return db
}
