module github.com/whet-go/whet/examples/orders

go 1.26.0

require github.com/whet-go/whet/examples/slowsql v0.0.0

replace github.com/whet-go/whet/examples/slowsql => ../slowsql
