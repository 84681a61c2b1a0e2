// Command whet-vet runs whet's rules without a profile. What it reports costs only where a program spends its
// time, which whet find knows:
//
//	go vet -vettool=$(which whet-vet) ./...
package main

import (
	"flag"
	"log"
	"os"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/find/driver"
)

func main() {
	every := flag.Bool("every", false, "also report what only a profile can show to cost")
	analyzers := []*analysis.Analyzer{}
	for _, r := range index.Rules() {
		analyzers = append(analyzers, r.Vet(func() bool { return *every }))
	}
	if err := driver.CheckUnit(os.Args[len(os.Args)-1]); err != nil {
		log.Fatalf("whet-vet: %v\nhint: %s", err, diag.Hint(err))
	}
	unitchecker.Main(analyzers...)
}
