// Command whet-vet runs whet's rules without a profile, for go vet:
//
//	go vet -vettool=$(which whet-vet) ./...
//
// What it reports costs only where a program spends its time: whet find says where. What is in much code
// and mostly costs nothing is left out, unless it is asked for with -every.
package main

import (
	"flag"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/whet-go/whet/find/rules/index"
)

func main() {
	every := flag.Bool("every", false, "also report what only a profile can show to cost")
	var analyzers []*analysis.Analyzer
	for _, r := range index.Rules() {
		analyzers = append(analyzers, r.Vet(func() bool { return *every }))
	}
	unitchecker.Main(analyzers...)
}
