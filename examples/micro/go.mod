module github.com/whet-go/whet/examples/micro

go 1.26.0
