// Package goamd64 defines a rule: the program is built for the 2003 baseline (GOAMD64=v1).
//
// GOAMD64=v1, the default, uses only instructions that every 64-bit x86 CPU has. From v3 on
// (Intel since 2013, AMD since 2015), single instructions replace several, or a check of the
// CPU's features: counting bits and zeros, shifts and rotations by a variable, fused
// multiply-add.
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
// The program was built with GOAMD64=v1, and the machine that it was recorded on supports v3.
// Part of the CPU time is spent in functions of math/bits, in math.FMA or in rounding, or most
// of it is spent in own code rather than in the runtime, the kernel or the assembly of the
// standard library, which checks the CPU's features anyway.
//
// # Safety
//
// The binary does not start on older CPUs: it prints the level that it requires and exits. All
// machines that run it must support that level. Floating-point results may differ in the last
// digit: the compiler may fuse a multiplication and an addition and round once instead of twice,
// as the Go specification allows.
package goamd64
