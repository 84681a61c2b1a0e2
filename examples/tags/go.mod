module github.com/whet-go/whet/examples/tags

go 1.26.0
