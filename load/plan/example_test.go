package plan_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/whet-go/whet/load/plan"
)

func ExamplePlan_Options() {
	p := plan.Plan{Rate: "100..500", Body: `{"n": 1}`, Headers: []string{"Content-Type: application/json"}}
	if err := p.Check(); err != nil {
		log.Fatal(err)
	}
	o, warnings, err := p.Options([]string{"http://localhost:8080/orders"}, strings.NewReader(""))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(o.Method, o.URL, o.Rate, o.RampTo, o.Header.Get("Content-Type"), len(warnings))
	// Output: POST http://localhost:8080/orders 100 500 application/json 0
}
