package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
)

// checkVersion explains errors in packages whose Go is newer than this program's type checker,
// which supports neither that language version nor its export data. It returns nil if the packages
// have no errors, or if the module's Go is not newer.
func checkVersion(ctx context.Context, o Options, pkgs []*packages.Package) error {
	broken := false
	for _, pkg := range pkgs {
		broken = broken || len(pkg.Errors) > 0
	}
	if !broken {
		return nil
	}
	cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION")
	cmd.Dir = o.Dir
	cmd.Env = append(os.Environ(), o.Env...)
	var out strings.Builder
	cmd.Stdout = &out
	if err := procgroup.RunGo(cmd); err != nil {
		return nil //nolint:nilerr // the packages' own errors are the ones to report
	}
	return CheckGo(o.Dir, strings.TrimSpace(out.String()))
}

// CheckGo returns an error if the Go version of the module in dir ("go1.27.4") has a newer language
// version than the Go that built this program, which cannot type-check its packages then. The hint
// is the remedy.
func CheckGo(dir, toolchain string) error { return tooNew(dir, toolchain, runtime.Version()) }

// CheckUnit is CheckGo for the package that the go command describes to a vet tool in a *.cfg file.
// It returns nil for any other argument. Packages of the standard library, which come first, have
// the toolchain's version; unitchecker exits at newer ones without a message.
func CheckUnit(config string) error {
	if !strings.HasSuffix(config, ".cfg") {
		return nil
	}
	data, err := os.ReadFile(config)
	if err != nil {
		return nil //nolint:nilerr // unitchecker reports it
	}
	var cfg struct{ Dir, GoVersion string }
	if json.Unmarshal(data, &cfg) != nil {
		return nil // unitchecker reports it, too
	}
	return CheckGo(cfg.Dir, cfg.GoVersion)
}

// tooNew returns an error if the language version of a toolchain ("go1.27.4") is newer than that of
// the Go that built this program. Development versions are not compared.
func tooNew(dir, toolchain, built string) error {
	if !version.IsValid(toolchain) || !version.IsValid(built) ||
		version.Compare(version.Lang(toolchain), version.Lang(built)) <= 0 {
		return nil
	}
	return &diag.Error{
		Op: "check types", Subject: dir,
		Err: fmt.Errorf("the module is built with %s, which is newer than the Go that built whet (%s)", toolchain, built),
		Hint: fmt.Sprintf("install whet again with that Go: `GOTOOLCHAIN=%s go install "+
			"github.com/whet-go/whet/cmd/...@latest`", toolchain),
	}
}
