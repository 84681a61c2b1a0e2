module github.com/whet-go/whet/examples/slowsql

go 1.26.0
