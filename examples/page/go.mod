module github.com/whet-go/whet/examples/page

go 1.26.0
