module github.com/whet-go/whet/examples/spin

go 1.26.0
