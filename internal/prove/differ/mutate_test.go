package differ_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/mutants"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// TestMutateAssembly notices the mutants of a package with assembly, and of one that registers something once: in
// one program, with the assembly and the registry of the version that is called.
func TestMutateAssembly(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	const before = `package p

import (
	"database/sql"
	"database/sql/driver"
	"errors"
)

type connector struct{}

func (connector) Open(string) (driver.Conn, error) { return nil, errors.New("not open") }

func init() { sql.Register("whet", connector{}) }

func sub(a, b uint64) uint64

// Distance subtracts the smaller number.
func Distance(a, b uint64) uint64 {
	if a > b {
		return sub(b, a)
	}
	return sub(a, b)
}
`
	after := []byte(strings.Replace(before, "return sub(b, a)", "return sub(b, a) + b - b", 1))
	const assembly = "#include \"textflag.h\"\n\nTEXT ·sub(SB), NOSPLIT, $0-24\n"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n", "p/p.go": before,
		"p/p_amd64.s": assembly + "\tMOVQ a+0(FP), AX\n\tSUBQ b+8(FP), AX\n\tMOVQ AX, ret+16(FP)\n\tRET\n",
		"p/p_arm64.s": assembly + "\tMOVD a+0(FP), R0\n\tMOVD b+8(FP), R1\n\tSUB R1, R0\n\tMOVD R0, ret+16(FP)\n\tRET\n",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(text))
	}
	m, err := scratch.New(t.Context(), dir, scratch.Options{Timeout: time.Minute, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	changes := scratch.Changes{"p/p.go": {Before: []byte(before), After: after}}
	o := differ.Options{FuzzTime: "500x", Timeout: time.Minute, Corpus: t.TempDir(), Inputs: 100, Seed: 1}
	r, err := differ.Compare(t.Context(), m, "p", changes, o)
	if err != nil || r.Separate != "" || len(r.Outcomes) != 1 || r.Blocks == 0 || r.Reached != r.Blocks {
		t.Fatalf("separate: %q, outcomes %+v, %d of %d blocks, %v", r.Separate, r.Outcomes, r.Reached, r.Blocks, err)
	}
	mutated, err := differ.Mutate(t.Context(), m, "p", changes, o, 4)
	if err != nil || len(mutated.Mutants) == 0 || len(mutated.Targets) != 1 {
		t.Fatalf("%d mutants, targets %q, %v", len(mutated.Mutants), mutated.Targets, err)
	}
	defer func() { _ = mutated.Close() }()
	if err := mutated.Run(t.Context(), mutated.Targets[0]); err != nil {
		t.Errorf("without a mutant: %v", err)
	}
	for i := range mutated.Mutants {
		if err := mutated.Run(t.Context(), mutated.Targets[0], mutants.Env+"="+strconv.Itoa(i+1)); err == nil {
			t.Errorf("the mutant %+v is not noticed", mutated.Mutants[i])
		}
	}
	if _, err := os.Stat(m.Path("p/whettwin")); err == nil {
		t.Error("the copy was left behind")
	}
}
