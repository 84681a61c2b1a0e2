package report

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/source"
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
		m[addr] = fmt.Sprintf("%d %d %s", pprofValue(t, f[1]), pprofValue(t, f[2]), strings.TrimSpace(inst))
	}
	return m
}

func testDisasmOracle(t *testing.T, o *oracle) {
	p, err := profile.ReadFile(o.cpu, profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bin, err := source.Open(o.binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bin.Close() })
	v := bind(t, p, profile.Query{By: profile.ByAddress, NoInlines: true})
	code := func(int) (DisasmCode, error) { return DisasmCode{bin, o.binary}, nil }
	// Nothing with vector instructions, which older disassemblers do not know.
	const match = `main\.(walk|burn|join|mix)|runtime\.mallocgc`
	r, err := NewDisasm(headerOf(v), v, DisasmOptions{Match: regexp.MustCompile(match), Code: code, Context: -1})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[uint64]string)
	calls := 0
	for _, f := range r.Functions {
		var flat int64
		for _, in := range f.Insts {
			got[in.Address] = fmt.Sprintf("%d %d %s", in.Flat, in.Cum, in.Text)
			flat += in.Flat
			calls += len(in.Calls)
		}
		if flat != f.Flat || f.Cum < f.Flat || f.Cum > r.Header.Total {
			t.Errorf("%s: flat %d, cum %d, instructions have %d flat", f.Name, f.Flat, f.Cum, flat)
		}
	}
	want := parseDisasm(t, runPprof(t, "-disasm="+match, "-unit=ns", o.binary, o.cpu))
	for addr, inst := range want {
		// pprof leaves out the last byte of a function, so that its last
		// instruction falls to pieces.
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
		t.Errorf("(-go tool pprof +whet)\n%s", clipText(diff))
	}
	if len(got) == 0 || calls == 0 {
		t.Errorf("%d instructions, %d calls", len(got), calls)
	}

	// Code packed for a recording gives the same.
	var addrs []uint64
	for _, l := range p.Locations {
		addrs = append(addrs, l.Address)
	}
	packed, err := source.ExtractCode(bin, addrs)
	if err != nil {
		t.Fatal(err)
	}
	pack, err := source.OpenCode(packed)
	if err != nil {
		t.Fatal(err)
	}
	again, err := NewDisasm(headerOf(v), v, DisasmOptions{
		Match: regexp.MustCompile(match), Context: -1,
		Code: func(int) (DisasmCode, error) { return DisasmCode{pack, o.binary}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, again); diff != "" {
		t.Errorf("(-binary +code pack)\n%s", clipText(diff))
	}

	// An address chooses the function around it.
	addr := r.Functions[0].Insts[len(r.Functions[0].Insts)/2].Address
	one, err := NewDisasm(headerOf(v), v, DisasmOptions{Match: regexp.MustCompile(fmt.Sprintf("%#x", addr)), Code: code, Context: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(one.Functions) != 1 || one.Functions[0].Name != r.Functions[0].Name {
		t.Errorf("address %#x chose %d functions", addr, len(one.Functions))
	}
	if len(one.Functions[0].Insts) >= len(r.Functions[0].Insts) {
		t.Error("context left nothing out")
	}

	text := writeString(t, func(b *bytes.Buffer) error { return WriteDisasm(b, Style{}, r) })
	for _, want := range []string{"ROUTINE ======================== main.walk", "main.go:", " → main.walk "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the text", want)
		}
	}
}

// addressed is how an instruction names a variable: by a symbol, or relative to itself.
var addressed = regexp.MustCompile(`[^ $,(]+\(SB\)|0x[0-9a-f]+\(IP\)`)

func TestDisasmWithoutCode(t *testing.T) {
	v := bind(t, listProfile(t), profile.Query{By: profile.ByAddress, NoInlines: true})
	noCode := errors.New("no binary")
	opt := DisasmOptions{Match: regexp.MustCompile(`main\.f`), Code: func(int) (DisasmCode, error) { return DisasmCode{}, noCode }}
	if _, err := NewDisasm(headerOf(v), v, opt); !errors.Is(err, noCode) {
		t.Errorf("got %v", err)
	}
	opt.Match = regexp.MustCompile("nothing")
	if _, err := NewDisasm(headerOf(v), v, opt); !errors.Is(err, ErrNoMatch) {
		t.Errorf("got %v", err)
	}
}
