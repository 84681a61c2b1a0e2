// Command whet-vet runs whet's rules without a profile, for go vet:
//
//	go vet -vettool=$(which whet-vet) ./...
//
// What it reports costs only where a program spends its time: whet find says where.
package main

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/whet-go/whet/find/rules/index"
)

func main() {
	var analyzers []*analysis.Analyzer
	for _, r := range index.Rules() {
		analyzers = append(analyzers, r.Analyzer)
	}
	unitchecker.Main(analyzers...)
}
