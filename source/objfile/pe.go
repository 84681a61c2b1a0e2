package objfile

import (
	"debug/dwarf"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync"
)

func openPE(r io.ReaderAt, size int64) (_ *image, err error) {
	defer guard("PE header", &err)
	f, err := pe.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("read PE header: %w", err)
	}
	im := &image{
		format:   "PE",
		order:    binary.LittleEndian,
		ptrSize:  8,
		textName: ".text",
	}
	im.Kind = "image"
	switch oh := f.OptionalHeader.(type) {
	case *pe.OptionalHeader32:
		im.Image, im.ptrSize = uint64(oh.ImageBase), 4
	case *pe.OptionalHeader64:
		im.Image = oh.ImageBase
	default:
		return nil, fmt.Errorf("read PE header: no optional header, so not a program")
	}
	switch f.Machine {
	case pe.IMAGE_FILE_MACHINE_I386:
		im.goarch = "386"
	case pe.IMAGE_FILE_MACHINE_AMD64:
		im.goarch = "amd64"
	case pe.IMAGE_FILE_MACHINE_ARMNT:
		im.goarch = "arm"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		im.goarch = "arm64"
	}
	for _, s := range f.Sections {
		if s.Offset == 0 || strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
			continue
		}
		// A section is padded to its alignment in the file, which may also contain less than memory
		// does.
		n := s.Size
		if s.VirtualSize > 0 {
			n = min(n, s.VirtualSize)
		}
		im.sections = append(im.sections, section{
			name: s.Name, addr: im.Image + uint64(s.VirtualAddress), size: min(uint64(n), uint64(size)),
			exec: s.Characteristics&pe.IMAGE_SCN_CNT_CODE != 0, r: s.ReaderAt,
		})
	}
	im.symbols = sync.OnceValues(func() ([]Symbol, error) { return peSymbols(f, im.Image) })
	im.dwarf = func() (_ *dwarf.Data, err error) {
		defer guard("DWARF sections", &err)
		var total uint64
		for _, s := range f.Sections {
			if strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
				n := uint64(s.Size)
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

func peSymbols(f *pe.File, base uint64) ([]Symbol, error) {
	syms := make([]Symbol, 0, len(f.Symbols))
	for _, s := range f.Symbols {
		if s.SectionNumber <= 0 || int(s.SectionNumber) > len(f.Sections) {
			continue // undefined, absolute or for debugging
		}
		sec := f.Sections[s.SectionNumber-1]
		syms = append(syms, Symbol{
			Name: s.Name,
			Addr: base + uint64(sec.VirtualAddress) + uint64(s.Value),
			Text: sec.Characteristics&pe.IMAGE_SCN_CNT_CODE != 0,
		})
	}
	inferSizes(syms)
	return syms, nil
}
