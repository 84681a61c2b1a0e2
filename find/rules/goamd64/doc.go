// Package goamd64 defines a rule: the program is built for processors of 2003.
//
// GOAMD64=v1, the default, uses only what every processor of 64 bits has. From v3 on (Intel since 2013, AMD
// since 2015) there are single instructions for what takes several, or a question to the processor, before:
// counting bits and zeros, shifts and rotations by a variable, a product and a sum rounded once.
//
// # Before
//
//	go build ./cmd/service
//
// # After
//
//	GOAMD64=v3 go build ./cmd/service
//
// # Evidence
//
// The build's GOAMD64 is v1 and the machine on which it was recorded is good for v3. A part of the CPU time is
// in functions of math/bits, in math.FMA or in rounding, or else most of it is in own code itself, and not in
// the runtime, the kernel or the standard library's assembly, which asks the processor anyway.
//
// # Safety
//
// A program that is built so does not start on older processors: it says which level it needs, and exits.
// All machines must be good for it. Floating-point numbers may differ in the last place: where a product is
// added to something, the compiler may round once in the place of twice, which Go's specification allows.
package goamd64
