package objfile

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

func openELF(r io.ReaderAt, size int64) (_ *image, err error) {
	defer guard("ELF header", &err)
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("read ELF header: %w", err)
	}
	im := &image{
		format:    "ELF",
		goarch:    elfArch(f),
		order:     f.ByteOrder,
		ptrSize:   8,
		textName:  ".text",
		pclnNames: []string{".gopclntab", ".data.rel.ro.gopclntab"},
	}
	if f.Class == elf.ELFCLASS32 {
		im.ptrSize = 4
	}
	im.Kind = "elf"
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			im.Segments = append(im.Segments, segment{
				Addr: p.Vaddr, Off: p.Off, Size: p.Memsz,
				Exec: p.Flags&elf.PF_X != 0, Backed: p.Filesz > 0,
			})
		}
	}
	if f.Type == elf.ET_REL || len(im.Segments) == 0 {
		im.Kind = "rel"
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NULL || s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_ALLOC == 0 ||
			s.Flags&elf.SHF_COMPRESSED != 0 {
			continue
		}
		im.sections = append(im.sections, section{
			name: s.Name, addr: s.Addr, size: min(s.FileSize, uint64(size)),
			exec: s.Flags&elf.SHF_EXECINSTR != 0, r: s.ReaderAt,
		})
	}
	im.gnuID = hex.EncodeToString(elfNote(f, "GNU", 3))
	im.symbols = sync.OnceValues(func() ([]Symbol, error) { return elfSymbols(f) })
	im.dwarf = func() (_ *dwarf.Data, err error) {
		defer guard("DWARF sections", &err)
		var total uint64
		for _, s := range f.Sections {
			if strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
				total += min(s.Size, 1<<50)
			}
		}
		if total > maxInflate*uint64(size) {
			return nil, fmt.Errorf("read DWARF sections: they claim %d bytes in a file of %d", total, size)
		}
		return f.DWARF()
	}
	im.relocs = sync.OnceValue(func() map[uint64]uint64 { return elfRelative(f, im) })
	return im, nil
}

func elfArch(f *elf.File) string {
	switch f.Machine {
	case elf.EM_386:
		return "386"
	case elf.EM_X86_64:
		return "amd64"
	case elf.EM_ARM:
		return "arm"
	case elf.EM_AARCH64:
		return "arm64"
	case elf.EM_LOONGARCH:
		return "loong64"
	case elf.EM_PPC64:
		if f.ByteOrder == binary.LittleEndian {
			return "ppc64le"
		}
		return "ppc64"
	case elf.EM_RISCV:
		if f.Class == elf.ELFCLASS64 {
			return "riscv64"
		}
	case elf.EM_S390:
		return "s390x"
	}
	return ""
}

// elfSymbols reads .symtab, or .dynsym if there is none. debug/elf copies each name, which takes
// quadratic memory for a hostile file.
func elfSymbols(f *elf.File) (_ []Symbol, err error) {
	defer guard("ELF symbol table", &err)
	sec := f.SectionByType(elf.SHT_SYMTAB)
	if sec == nil {
		sec = f.SectionByType(elf.SHT_DYNSYM)
	}
	if sec == nil {
		return nil, nil
	}
	if sec.Flags&elf.SHF_COMPRESSED != 0 {
		return nil, fmt.Errorf("read section %s: compressed", sec.Name)
	}
	data, err := sec.Data()
	if err != nil {
		return nil, fmt.Errorf("read section %s: %w", sec.Name, err)
	}
	if int64(sec.Link) >= int64(len(f.Sections)) || f.Sections[sec.Link].Flags&elf.SHF_COMPRESSED != 0 {
		return nil, fmt.Errorf("read section %s: bad string table %d", sec.Name, sec.Link)
	}
	strtab, err := f.Sections[sec.Link].Data()
	if err != nil {
		return nil, fmt.Errorf("read section %s: %w", f.Sections[sec.Link].Name, err)
	}
	table := names(strtab)
	width := 24
	if f.Class == elf.ELFCLASS32 {
		width = 16
	}
	syms := make([]Symbol, 0, len(data)/width)
	for ; len(data) >= width; data = data[width:] {
		var s Symbol
		var info byte
		var shndx uint16
		if width == 24 {
			info, shndx = data[4], f.ByteOrder.Uint16(data[6:])
			s.Addr, s.Size = f.ByteOrder.Uint64(data[8:]), f.ByteOrder.Uint64(data[16:])
		} else {
			info, shndx = data[12], f.ByteOrder.Uint16(data[14:])
			s.Addr, s.Size = uint64(f.ByteOrder.Uint32(data[4:])), uint64(f.ByteOrder.Uint32(data[8:]))
		}
		switch elf.ST_TYPE(info) {
		case elf.STT_FILE, elf.STT_SECTION, elf.STT_TLS:
			continue
		}
		if shndx == uint16(elf.SHN_UNDEF) || s.Addr == 0 && s.Size == 0 {
			continue
		}
		if s.Name = table.at(uint64(f.ByteOrder.Uint32(data))); s.Name == "" {
			continue
		}
		if int(shndx) < len(f.Sections) {
			const code = elf.SHF_ALLOC | elf.SHF_EXECINSTR
			s.Text = f.Sections[shndx].Flags&(code|elf.SHF_WRITE) == code
		}
		syms = append(syms, s)
	}
	return syms, nil
}

// elfRelative returns the values of pointers that RELATIVE relocations set. REL relocations (386,
// arm) keep the value in place and need no entry.
func elfRelative(f *elf.File, im *image) (out map[uint64]uint64) {
	defer func() {
		if recover() != nil {
			out = nil // a damaged table only loses the inlined calls of a stripped file
		}
	}()
	relative := map[string]uint32{
		"amd64": uint32(elf.R_X86_64_RELATIVE), "arm64": uint32(elf.R_AARCH64_RELATIVE),
		"riscv64": uint32(elf.R_RISCV_RELATIVE), "ppc64": uint32(elf.R_PPC64_RELATIVE),
		"ppc64le": uint32(elf.R_PPC64_RELATIVE),
		"s390x":   uint32(elf.R_390_RELATIVE), "loong64": uint32(elf.R_LARCH_RELATIVE),
	}
	want, ok := relative[im.goarch]
	if !ok {
		return nil
	}
	out = map[uint64]uint64{}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 || s.Flags&elf.SHF_COMPRESSED != 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			continue
		}
		for ; len(data) >= 24; data = data[24:] {
			if uint32(f.ByteOrder.Uint64(data[8:])) == want {
				out[f.ByteOrder.Uint64(data)] = f.ByteOrder.Uint64(data[16:])
			}
		}
	}
	return out
}

// elfNote returns the contents of the first note with that name and type.
func elfNote(f *elf.File, name string, typ uint32) []byte {
	find := func(r io.Reader, align uint64) []byte {
		if align < 4 {
			align = 4
		}
		pad := func(n uint32) uint64 { return (uint64(n) + align - 1) &^ (align - 1) }
		data, err := io.ReadAll(io.LimitReader(r, 1<<20))
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		for len(data) >= 12 {
			namesz, descsz, t := f.ByteOrder.Uint32(data), f.ByteOrder.Uint32(data[4:]), f.ByteOrder.Uint32(data[8:])
			data = data[12:]
			// The header counts towards the alignment of the name.
			nameEnd := pad(12+namesz) - 12
			if namesz > 1<<20 || descsz > 1<<20 || nameEnd+uint64(descsz) > uint64(len(data)) {
				return nil
			}
			if t == typ && strings.TrimRight(string(data[:namesz]), "\x00") == name {
				return data[nameEnd : nameEnd+uint64(descsz)]
			}
			data = data[min(nameEnd+pad(descsz), uint64(len(data))):]
		}
		return nil
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_NOTE {
			if b := find(p.Open(), p.Align); b != nil {
				return b
			}
		}
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOTE {
			if b := find(s.Open(), s.Addralign); b != nil {
				return b
			}
		}
	}
	return nil
}
