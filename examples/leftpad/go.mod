module github.com/whet-go/whet/examples/leftpad

go 1.26.0
