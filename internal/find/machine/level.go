package machine

import "golang.org/x/sys/cpu"

// Level returns the GOAMD64 level of this machine, or "" on other architectures:
// https://go.dev/wiki/MinimumRequirements#amd64. Package cpu does not report some features of v3
// (LZCNT, MOVBE); no CPU has the rest without them.
func Level() string {
	x := &cpu.X86
	switch {
	case !x.HasSSE2:
		return ""
	case !x.HasSSE42 || !x.HasPOPCNT || !x.HasSSSE3 || !x.HasCX16:
		return "v1"
	case !x.HasAVX2 || !x.HasBMI1 || !x.HasBMI2 || !x.HasFMA:
		return "v2"
	case !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512CD || !x.HasAVX512DQ || !x.HasAVX512VL:
		return "v3"
	}
	return "v4"
}
