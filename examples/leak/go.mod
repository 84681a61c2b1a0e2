module github.com/whet-go/whet/examples/leak

go 1.26.0
