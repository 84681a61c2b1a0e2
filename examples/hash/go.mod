module github.com/whet-go/whet/examples/hash

go 1.26.0
