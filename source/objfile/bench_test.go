package objfile

import (
	"os/exec"
	"testing"
)

// The go command is a binary of ordinary size.
func goCommand(b *testing.B) string {
	path, err := exec.LookPath("go")
	if err != nil {
		b.Skip("no go command")
	}
	return path
}

func BenchmarkOpen(b *testing.B) {
	path := goCommand(b)
	b.ReportAllocs()
	for b.Loop() {
		bin, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		fns, err := bin.Functions()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(fns)), "functions")
		_ = bin.Close()
	}
}

func BenchmarkFrames(b *testing.B) {
	bin := open(b, goCommand(b))
	fns, err := bin.Functions()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		f := fns[i*7919%len(fns)]
		if _, err := bin.Frames(f.Addr + f.Size/2); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDisasm(b *testing.B) {
	bin := open(b, goCommand(b))
	fns, err := bin.Functions()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	insts := 0
	for i := 0; b.Loop(); i++ {
		f := fns[i*7919%len(fns)]
		in, err := DisasmRange(bin, f.Addr, f.Addr+f.Size, GoSyntax)
		if err != nil {
			b.Fatal(err)
		}
		insts += len(in)
	}
	b.ReportMetric(float64(insts)/float64(b.N), "insts/op")
}
