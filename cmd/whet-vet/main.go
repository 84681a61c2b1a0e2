// Command whet-vet runs whet's rules without a profile, for go vet:
//
//	go vet -vettool=$(which whet-vet) ./...
//
// What it reports costs only where a program spends its time: whet find says where. What is in much code
// and mostly costs nothing is left out, unless it is asked for with -every.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/whet-go/whet/find/driver"
	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/internal/diag"
)

func main() {
	every := flag.Bool("every", false, "also report what only a profile can show to cost")
	var analyzers []*analysis.Analyzer
	for _, r := range index.Rules() {
		analyzers = append(analyzers, r.Vet(func() bool { return *every }))
	}
	if args := os.Args[1:]; len(args) > 0 && strings.HasSuffix(args[len(args)-1], ".cfg") {
		if err := checkGo(args[len(args)-1]); err != nil {
			fmt.Fprintf(os.Stderr, "whet-vet: %v\nhint: %s\n", err, diag.Hint(err))
			os.Exit(1)
		}
	}
	unitchecker.Main(analyzers...)
}

// checkGo returns an error for a package whose Go is newer than the one that built this program. The standard
// library's packages, which come first, are such when the toolchain is; unitchecker ends at them without a message.
func checkGo(config string) error {
	data, err := os.ReadFile(config)
	if err != nil {
		return nil //nolint:nilerr // unitchecker reports it
	}
	var cfg struct{ Dir, GoVersion string }
	if json.Unmarshal(data, &cfg) != nil {
		return nil // unitchecker reports it, too
	}
	return driver.CheckGo(cfg.Dir, cfg.GoVersion)
}
