package objfile

import (
	"debug/dwarf"
	"debug/macho"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
)

func openMachO(r io.ReaderAt, size int64) (_ *image, err error) {
	defer guard("Mach-O header", &err)
	f, err := macho.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("read Mach-O header: %w", err)
	}
	return machoImage(f, size)
}

// openFat opens the part of a universal binary that this machine would run, or
// the first one.
func openFat(r io.ReaderAt, size int64) (_ *image, err error) {
	defer guard("universal Mach-O header", &err)
	fat, err := macho.NewFatFile(r)
	if err != nil {
		return nil, fmt.Errorf("read universal Mach-O header: %w", err)
	}
	if len(fat.Arches) == 0 {
		return nil, errors.New("read universal Mach-O header: no architectures")
	}
	pick := fat.Arches[0].File
	for _, a := range fat.Arches {
		if machoArch(a.Cpu) == runtime.GOARCH {
			pick = a.File
		}
	}
	return machoImage(pick, size)
}

func machoArch(c macho.Cpu) string {
	switch c {
	case macho.Cpu386:
		return "386"
	case macho.CpuAmd64:
		return "amd64"
	case macho.CpuArm:
		return "arm"
	case macho.CpuArm64:
		return "arm64"
	case macho.CpuPpc64:
		return "ppc64"
	}
	return ""
}

func machoImage(f *macho.File, size int64) (*image, error) {
	im := &image{
		format:    "Mach-O",
		goarch:    machoArch(f.Cpu),
		order:     f.ByteOrder,
		ptrSize:   8,
		textName:  "__text",
		pclnNames: []string{"__gopclntab"},
	}
	if f.Magic == macho.Magic32 {
		im.ptrSize = 4
	}
	im.Kind = "image"
	if seg := f.Segment("__TEXT"); seg != nil {
		im.Image = seg.Addr
	}
	const zeroFill, typeMask, instructions = 1, 0xff, 0x80000400
	for _, s := range f.Sections {
		if s.Flags&typeMask == zeroFill || s.Offset == 0 {
			continue
		}
		im.sections = append(im.sections, section{
			name: s.Name, addr: s.Addr, size: min(s.Size, uint64(size)),
			exec: s.Flags&instructions != 0, r: s.ReaderAt,
		})
	}
	for _, l := range f.Loads {
		const uuid = 0x1b
		if b := l.Raw(); len(b) >= 24 && f.ByteOrder.Uint32(b) == uuid {
			im.gnuID = hex.EncodeToString(b[8:24])
		}
	}
	im.symbols = sync.OnceValues(func() ([]Symbol, error) { return machoSymbols(f), nil })
	im.dwarf = func() (_ *dwarf.Data, err error) {
		defer guard("DWARF sections", &err)
		var total uint64
		for _, s := range f.Sections {
			if strings.HasPrefix(s.Name, "__debug_") || strings.HasPrefix(s.Name, "__zdebug_") {
				n := s.Size
				// __zdebug_ sections start with "ZLIB" and their inflated size.
				var head [12]byte
				if k, _ := s.ReadAt(head[:], 0); k == 12 && string(head[:4]) == "ZLIB" {
					n = bigEndian64(head[4:])
				}
				total += min(n, 1<<50)
			}
		}
		if total > maxInflate*uint64(size) {
			return nil, fmt.Errorf("read DWARF sections: they claim %d bytes in a file of %d", total, size)
		}
		return f.DWARF()
	}
	im.relocs = func() map[uint64]uint64 { return nil }
	return im, nil
}

func bigEndian64(b []byte) (v uint64) {
	for _, c := range b[:8] {
		v = v<<8 | uint64(c)
	}
	return v
}

// machoSymbols extends each symbol up to the next one, because the format has no sizes.
func machoSymbols(f *macho.File) []Symbol {
	if f.Symtab == nil {
		return nil
	}
	const stab = 0xe0
	syms := make([]Symbol, 0, len(f.Symtab.Syms))
	for _, s := range f.Symtab.Syms {
		if s.Type&stab != 0 || s.Sect == 0 || s.Value == 0 {
			continue // debugging or undefined symbol
		}
		sym := Symbol{Name: s.Name, Addr: s.Value}
		if int(s.Sect) <= len(f.Sections) {
			sec := f.Sections[s.Sect-1]
			sym.Text = sec.Seg == "__TEXT" && sec.Name == "__text"
		}
		syms = append(syms, sym)
	}
	inferSizes(syms)
	return syms
}
