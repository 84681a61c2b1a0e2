package main

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// turns is the number of loop iterations between two calls of the host: some tenths of a
// millisecond.
const turns = 1 << 16

// Sections of a module that meter reads.
const (
	sectionImport = 2
	sectionGlobal = 6
	sectionCode   = 10
)

// meter returns module with a new mutable global that counts down the iterations of all loops. At
// zero, it calls the function imported under the given name, drops its one result, and restarts the
// count:
//
//	global.get $g; i32.const 1; i32.sub; global.set $g
//	global.get $g; i32.eqz
//	if; call $import; drop; i32.const turns; global.set $g; end
//
// The code is at the head of each loop, where it leaves the operand stack unchanged. Nothing is
// renumbered: the global is the last one, and the import exists.
func meter(module []byte, importName string) (metered []byte, loops int, err error) {
	defer func() {
		if p := recover(); p != nil {
			short, ok := p.(malformed)
			if !ok {
				panic(p)
			}
			err = errors.New(string(short))
		}
	}()
	in := &reader{b: module}
	out := append([]byte(nil), in.take(len(wasmMagic))...)
	var probe []byte
	for len(in.b) > 0 {
		id := in.byte()
		body := in.take(int(in.uint()))
		switch id {
		case sectionImport:
			if probe, err = probeFor(body, importName); err != nil {
				return nil, 0, err
			}
		case sectionGlobal:
			if probe == nil {
				return nil, 0, errors.New("no import section before the globals")
			}
			var global uint64
			body, global = addGlobal(body)
			probe = countdown(global, probe)
		case sectionCode:
			if probe == nil {
				return nil, 0, errors.New("no import and global sections before the code")
			}
			body, loops = meterCode(body, probe)
		}
		out = append(out, id)
		out = appendBytes(out, body)
	}
	return out, loops, nil
}

// probeFor finds a function import and returns the code that calls it.
func probeFor(section []byte, name string) ([]byte, error) {
	in := &reader{b: section}
	function := uint64(0)
	for range in.uint() {
		in.take(int(in.uint())) // module
		field := string(in.take(int(in.uint())))
		if kind := in.byte(); kind != 0 {
			return nil, fmt.Errorf("import %q is not a function", field)
		}
		in.uint() // type
		if field == name {
			return append(binary.AppendUvarint([]byte{0x10}, function), 0x1a), nil // call, drop
		}
		function++
	}
	return nil, fmt.Errorf("no import %q", name)
}

// addGlobal appends "(global (mut i32) (i32.const turns))" and returns its index, assuming that no
// global is imported (probeFor saw only functions).
func addGlobal(section []byte) ([]byte, uint64) {
	in := &reader{b: section}
	n := in.uint()
	out := binary.AppendUvarint(nil, n+1)
	out = append(out, in.b...)
	out = append(out, 0x7f, 0x01, 0x41) // i32, mutable, i32.const
	out = appendInt(out, turns)
	return append(out, 0x0b), n // end
}

func countdown(global uint64, call []byte) []byte {
	get := binary.AppendUvarint([]byte{0x23}, global)
	set := binary.AppendUvarint([]byte{0x24}, global)
	var code []byte
	code = append(code, get...)
	code = append(code, 0x41, 0x01, 0x6b) // i32.const 1, i32.sub
	code = append(code, set...)
	code = append(code, get...)
	code = append(code, 0x45, 0x04, 0x40) // i32.eqz, if
	code = append(code, call...)
	code = appendInt(append(code, 0x41), turns)
	code = append(code, set...)
	return append(code, 0x0b) // end
}

func meterCode(section, probe []byte) (out []byte, loops int) {
	in := &reader{b: section}
	n := in.uint()
	out = binary.AppendUvarint(nil, n)
	for range n {
		body, found := meterFunction(in.take(int(in.uint())), probe)
		out = appendBytes(out, body)
		loops += found
	}
	return out, loops
}

func meterFunction(body, probe []byte) (out []byte, loops int) {
	in := &reader{b: body}
	for range in.uint() { // runs of locals
		in.uint()
		in.byte()
	}
	copied := 0
	for len(in.b) > 0 {
		op := in.byte()
		in.immediates(op)
		if op == 0x03 { // loop
			at := len(body) - len(in.b)
			out = append(append(out, body[copied:at]...), probe...)
			copied = at
			loops++
		}
	}
	return append(out, body[copied:]...), loops
}

// immediates skips the operands of an opcode. It supports WebAssembly 2.0 without vectors.
func (r *reader) immediates(op byte) {
	switch {
	case op == 0x02, op == 0x03, op == 0x04, op == 0x41, op == 0x42: // block, loop, if; i32.const, i64.const
		r.int()
	case op == 0x0c, op == 0x0d, op == 0x10, // br, br_if, call
		op >= 0x20 && op <= 0x26, // locals, globals, tables
		op == 0x3f, op == 0x40,   // memory.size, memory.grow
		op == 0xd0, op == 0xd2: // ref.null, ref.func
		r.uint()
	case op == 0x0e: // br_table
		for range r.uint() {
			r.uint()
		}
		r.uint()
	case op == 0x11, op >= 0x28 && op <= 0x3e: // call_indirect; loads and stores
		r.uint()
		r.uint()
	case op == 0x1c: // select with types
		r.take(int(r.uint()))
	case op == 0x43: // f32.const
		r.take(4)
	case op == 0x44: // f64.const
		r.take(8)
	case op == 0xfc:
		switch sub := r.uint(); {
		case sub <= 7: // saturating truncations
		case sub == 8, sub == 10, sub == 12, sub == 14: // two indices
			r.uint()
			r.uint()
		case sub == 9, sub == 11, sub == 13, sub >= 15 && sub <= 17: // one
			r.uint()
		default:
			panic(malformed(fmt.Sprintf("unknown instruction 0xfc %d", sub)))
		}
	case op <= 0x01, op == 0x05, op == 0x0b, op == 0x0f, op == 0x1a, op == 0x1b,
		op >= 0x45 && op <= 0xc4, op == 0xd1:
	default:
		panic(malformed(fmt.Sprintf("unknown instruction %#x", op)))
	}
}

// malformed is the value that reader panics with; meter converts it to an error.
type malformed string

// A reader decodes a module.
type reader struct{ b []byte }

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		panic(malformed("unexpected end"))
	}
	head := r.b[:n]
	r.b = r.b[n:]
	return head
}

func (r *reader) byte() byte { return r.take(1)[0] }

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		panic(malformed("bad number"))
	}
	r.take(n)
	return v
}

// int skips a signed LEB128 number.
func (r *reader) int() {
	for r.byte()&0x80 != 0 {
	}
}

// appendInt appends a non-negative signed LEB128 number.
func appendInt(b []byte, v uint64) []byte {
	for v >= 0x40 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendBytes(b, more []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(more))), more...)
}
