package listing

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/source/objfile"
)

var disasmRow = regexp.MustCompile(`^ *(\S+) +(\S+) +([0-9a-f]+): (.*)$`)

// parseDisasm reads pprof's listing: address to flat, cum and instruction.
func parseDisasm(t *testing.T, text string) map[uint64]string {
	t.Helper()
	m := make(map[uint64]string)
	for line := range strings.Lines(text) {
		f := disasmRow.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if f == nil {
			continue
		}
		addr, err := strconv.ParseUint(f[3], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		inst, _, _ := strings.Cut(f[4], " ;")
		m[addr] = fmt.Sprintf("%d %d %s", oracletest.PprofValue(t, f[1]), oracletest.PprofValue(t, f[2]),
			strings.TrimSpace(inst))
	}
	return m
}

func testDisasmOracle(t *testing.T, o *oracletest.Oracle) {
	p, err := profile.ReadFile(o.Cpu, profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bin, err := objfile.Open(o.Binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bin.Close() })
	v := oracletest.Bind(t, p, profile.Query{By: profile.ByAddress, NoInlines: true})
	code := func(int) (objfile.Machine, string, error) { return bin, o.Binary, nil }
	// These functions have no vector instructions, which older disassemblers do not know.
	const match = `main\.(walk|burn|join|mix)|runtime\.mallocgc`
	functions, err := Disasm(v, DisasmOptions{Match: regexp.MustCompile(match), Code: code, Context: -1})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[uint64]string)
	calls := 0
	for _, f := range functions {
		var flat int64
		for _, in := range f.Insts {
			got[in.Address] = fmt.Sprintf("%d %d %s", in.Flat, in.Cum, in.Text)
			flat += in.Flat
			calls += len(in.Calls)
		}
		if flat != f.Flat || f.Cum < f.Flat || f.Cum > v.Total() {
			t.Errorf("%s: flat %d, cum %d, instructions have %d flat", f.Name, f.Flat, f.Cum, flat)
		}
	}
	want := parseDisasm(t, oracletest.RunPprof(t, "-disasm="+match, "-unit=ns", o.Binary, o.Cpu))
	for addr, inst := range want {
		// pprof leaves out the last byte of a function, and so decodes its last instruction
		// wrongly.
		switch text, known := got[addr]; {
		case strings.Contains(text, "(SB)") && addressed.ReplaceAllString(inst, "@") == addressed.ReplaceAllString(text, "@"):
			want[addr] = text // where a marker shares the address of a variable, pprof may print a number
		case strings.HasSuffix(inst, " ?") && known:
			want[addr] = got[addr]
		case strings.HasPrefix(inst, "0 0 ") && !known:
			delete(want, addr)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-go tool pprof +whet)\n%s", oracletest.ClipText(diff))
	}
	if len(got) == 0 || calls == 0 {
		t.Errorf("%d instructions, %d calls", len(got), calls)
	}

	// Code packed for a recording has the same listing.
	var addrs []uint64
	for _, l := range p.Locations {
		addrs = append(addrs, l.Address)
	}
	packed, err := objfile.ExtractCode(bin, addrs)
	if err != nil {
		t.Fatal(err)
	}
	pack, err := objfile.OpenCode(packed)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Disasm(v, DisasmOptions{
		Match: regexp.MustCompile(match), Context: -1,
		Code: func(int) (objfile.Machine, string, error) { return pack, o.Binary, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(functions, again); diff != "" {
		t.Errorf("(-binary +code pack)\n%s", oracletest.ClipText(diff))
	}

	// An address chooses the function around it.
	addr := functions[0].Insts[len(functions[0].Insts)/2].Address
	one, err := Disasm(v, DisasmOptions{
		Match: regexp.MustCompile(fmt.Sprintf("%#x", addr)), Code: code,
		Context: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(one) != 1 || one[0].Name != functions[0].Name {
		t.Errorf("address %#x chose %d functions", addr, len(one))
	}
	if len(one[0].Insts) >= len(functions[0].Insts) {
		t.Error("context left nothing out")
	}
}

// addressed is how an instruction names a variable: by a symbol, or relative to itself.
var addressed = regexp.MustCompile(`[^ $,(]+\(SB\)|0x[0-9a-f]+\(IP\)`)

func TestDisasmWithoutCode(t *testing.T) {
	v := oracletest.Bind(t, oracletest.Calls(t), profile.Query{By: profile.ByAddress, NoInlines: true})
	noCode := errors.New("no binary")
	opt := DisasmOptions{
		Match: regexp.MustCompile(`main\.f`),
		Code:  func(int) (objfile.Machine, string, error) { return nil, "", noCode },
	}
	if _, err := Disasm(v, opt); !errors.Is(err, noCode) {
		t.Errorf("got %v", err)
	}
	opt.Match = regexp.MustCompile("nothing")
	if _, err := Disasm(v, opt); !errors.Is(err, ErrNoMatch) {
		t.Errorf("got %v", err)
	}
}
