package main

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo"
)

// A Ware is one row of the page.
type Ware struct {
	Name    string
	Price   float64
	Colours []string
	Sold    bool
}

type list struct {
	Title string
	Group string
	Wares []Ware
}

var wares = stock()

func stock() []Ware {
	var all []Ware
	for i := 0; i < 300; i++ {
		all = append(all, Ware{
			Name:    fmt.Sprintf("Ware & <No. %d>", i),
			Price:   float64(i) + 0.99,
			Colours: []string{"red", "green", "blue"}[:i%4],
			Sold:    i%7 == 0,
		})
	}
	return all
}

func showList(c echo.Context) error {
	group := c.QueryParam("group")
	return c.Render(http.StatusOK, "list", list{Title: "Wares", Group: group, Wares: wares})
}
