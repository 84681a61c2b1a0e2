package main

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

const (
	literalStart = "return binaryDecode('"
	wasmMagic    = "\x00asm\x01\x00\x00\x00"
)

// extract returns the WebAssembly module that emscripten inlined in js: a string literal with one
// character per byte, in which U+0100 encodes zero.
func extract(js []byte) ([]byte, error) {
	_, text, ok := bytes.Cut(js, []byte(literalStart))
	if !ok {
		return nil, fmt.Errorf("no %q", literalStart)
	}
	var module []byte
	for {
		char, size, err := literalChar(text)
		if err != nil {
			return nil, fmt.Errorf("byte %d of the module: %w", len(module), err)
		}
		if size == 0 {
			break
		}
		if char > 0x100 {
			return nil, fmt.Errorf("byte %d of the module: %#U is not a byte", len(module), char)
		}
		module = append(module, byte(char))
		text = text[size:]
	}
	if !bytes.HasPrefix(module, []byte(wasmMagic)) {
		return nil, errors.New("the literal is not a WebAssembly module")
	}
	return module, nil
}

// literalChar decodes the first character of the rest of a single-quoted JavaScript literal. At the
// closing quote size is 0.
func literalChar(text []byte) (char rune, size int, err error) {
	char, size = utf8.DecodeRune(text)
	if char == utf8.RuneError && size <= 1 {
		return 0, 0, errors.New("literal does not end or is not UTF-8")
	}
	if char == '\'' {
		return 0, 0, nil
	}
	if char != '\\' {
		return char, size, nil
	}
	char, size = utf8.DecodeRune(text[1:])
	digits := 0
	switch char {
	case 'b':
		return '\b', 2, nil
	case 'f':
		return '\f', 2, nil
	case 'n':
		return '\n', 2, nil
	case 'r':
		return '\r', 2, nil
	case 't':
		return '\t', 2, nil
	case 'v':
		return '\v', 2, nil
	case '0':
		return 0, 2, nil
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case '\'', '"', '`', '\\':
		return char, 1 + size, nil
	default:
		return 0, 0, fmt.Errorf("unknown escape \\%c", char)
	}
	if len(text) < 2+digits {
		return 0, 0, errors.New("literal does not end")
	}
	code, err := strconv.ParseUint(string(text[2:2+digits]), 16, 16)
	return rune(code), 2 + digits, err
}
