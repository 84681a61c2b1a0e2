package objfile_test

import (
	"fmt"
	"log"
	"os"
	"path"
	"regexp"

	"github.com/whet-go/whet/source/objfile"
)

// An executable knows the functions and lines of its addresses.
func ExampleOpen() {
	name, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	b, err := objfile.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	functions, err := b.Functions()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range functions {
		if f.Name != "github.com/whet-go/whet/source/objfile.Open" {
			continue
		}
		calls, err := b.Frames(f.Addr)
		if err != nil {
			log.Fatal(err)
		}
		function := calls[len(calls)-1] // before it are the inlined ones
		fmt.Println(function.Func, path.Base(function.File))
	}
	// Output: github.com/whet-go/whet/source/objfile.Open binary.go
}

// Recordings have the code of hot functions in a pack, for machines without the executable.
func ExampleOpenCode() {
	data, err := os.ReadFile("testdata/amd64.code.json")
	if err != nil {
		log.Fatal(err)
	}
	code, err := objfile.OpenCode(data)
	if err != nil {
		log.Fatal(err)
	}
	functions, err := objfile.Disasm(code, regexp.MustCompile(`^main\.double$`), objfile.GoSyntax)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range functions {
		fmt.Println(f.Name)
		for _, in := range f.Insts {
			fmt.Printf("%s:%d %s\n", path.Base(in.File), in.Line, in.Text)
		}
	}
	// Output:
	// main.double
	// main.go:4 MOVQ AX, 0x8(SP)
	// main.go:5 XORL CX, CX
	// main.go:5 XORL DX, DX
	// main.go:5 JMP 0x47a760
	// main.go:5 MOVQ 0(AX)(CX*8), SI
	// main.go:11 IMULQ SI, SI
	// main.go:11 XORQ $0x7, SI
	// main.go:6 ADDQ SI, DX
	// main.go:5 INCQ CX
	// main.go:5 NOPL 0(AX)
	// main.go:5 CMPQ BX, CX
	// main.go:5 JG 0x47a74b
	// main.go:8 MOVQ DX, AX
	// main.go:8 RET
}
