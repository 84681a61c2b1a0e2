package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

// endless is a module with an import a.g () -> f64 and an export f that is
// (func (local i32) (loop (br 0))).
func endless() []byte {
	module := []byte(wasmMagic)
	section := func(id byte, body ...byte) { module = appendBytes(append(module, id), body) }
	section(1, 2, 0x60, 0, 1, 0x7c, 0x60, 0, 0)                // types: () -> f64, () -> ()
	section(2, 1, 1, 'a', 1, 'g', 0, 0)                        // import a.g, type 0
	section(3, 1, 1)                                           // one function of type 1
	section(6, 1, 0x7f, 0, 0x41, 0x2a, 0x0b)                   // global i32 42
	section(7, 1, 1, 'f', 0, 1)                                // export f
	section(10, 1, 9, 1, 1, 0x7f, 0x03, 0x40, 0x0c, 0, 11, 11) // code
	return module
}

func TestMeterStopsLoop(t *testing.T) {
	t.Parallel()
	metered, loops, err := meter(endless(), "g")
	if err != nil {
		t.Fatal(err)
	}
	if loops != 1 {
		t.Errorf("found %d loops, want 1", loops)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	rt := wazero.NewRuntime(ctx)
	defer func() {
		if err := rt.Close(ctx); err != nil {
			t.Error(err)
		}
	}()
	calls := 0
	host := func(context.Context, api.Module, []uint64) {
		if calls++; calls == 3 {
			panic(sys.NewExitError(7))
		}
	}
	_, err = rt.NewHostModuleBuilder("a").NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(host), nil, []api.ValueType{api.ValueTypeF64}).
		Export("g").Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := rt.Instantiate(ctx, metered)
	if err != nil {
		t.Fatal(err)
	}
	_, err = mod.ExportedFunction("f").Call(ctx)
	var exit *sys.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 || calls != 3 {
		t.Errorf("loop ended with %v after %d calls of the host, want exit code 7 after 3", err, calls)
	}
}

func TestMeterErrors(t *testing.T) {
	t.Parallel()
	module := endless()
	if _, _, err := meter(module, "missing"); err == nil {
		t.Error("no error for an import that is missing")
	}
	for _, n := range []int{0, len(wasmMagic) + 1, len(wasmMagic) + 5, len(module) - 1} {
		if metered, _, err := meter(module[:n], "g"); err == nil {
			t.Errorf("module cut at byte %d gave %d bytes, want an error", n, len(metered))
		}
	}
	unknown := bytes.Replace(module, []byte{0x0c, 0}, []byte{0xfd, 0}, 1) // a vector instruction
	if _, _, err := meter(unknown, "g"); err == nil {
		t.Error("no error for an unknown instruction")
	}
}

func TestExtract(t *testing.T) {
	t.Parallel()
	const module = "\\x00asm\\x01\u0100\\0\u0100\\n\\r\\'\\\\é\\u00ff\\t"
	want := append([]byte(wasmMagic), '\n', '\r', '\'', '\\', 0xe9, 0xff, '\t')
	got, err := extract([]byte("function f(){return binaryDecode('" + module + "')}"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, js := range []string{
		"", "return binaryDecode('", "return binaryDecode('\\x0", "return binaryDecode('\\q')",
		"return binaryDecode('\\x00asm')", "return binaryDecode('世')", "return binaryDecode('\xff')",
	} {
		if got, err := extract([]byte(js)); err == nil {
			t.Errorf("extract(%q) = %q, want an error", js, got)
		}
	}
}

// TestCommittedModuleIsMetered guards against a graphviz.wasm that was added by hand. That it is
// the published one is checked by update -check, which needs the network.
func TestCommittedModuleIsMetered(t *testing.T) {
	t.Parallel()
	module, err := os.ReadFile(filepath.Join("..", "graphviz.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	twice, loops, err := meter(module, meterImport)
	if err != nil {
		t.Fatal(err)
	}
	probe := []byte{0x41, 0x01, 0x6b, 0x24} // i32.const 1, i32.sub, global.set
	if n := bytes.Count(module, probe); n < loops {
		t.Errorf("module has %d loops but %d countdowns", loops, n)
	}
	if bytes.Count(twice, probe) < 2*loops {
		t.Error("meter found loops that it did not meter")
	}
}

func FuzzExtract(f *testing.F) {
	f.Add([]byte("return binaryDecode('\\x00asm\\x01\u0100\\0\u0100\\n')"))
	f.Fuzz(func(t *testing.T, js []byte) {
		module, err := extract(js)
		if err == nil && len(module) > len(js) {
			t.Errorf("%d bytes from %d", len(module), len(js))
		}
	})
}

func FuzzMeter(f *testing.F) {
	f.Add(endless())
	f.Fuzz(func(t *testing.T, module []byte) {
		metered, loops, err := meter(module, "g")
		if err == nil && loops == 0 && len(metered) > 2*len(module)+64 {
			t.Errorf("%d bytes from %d without a loop", len(metered), len(module))
		}
	})
}
