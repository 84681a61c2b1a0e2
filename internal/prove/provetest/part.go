package provetest

import (
	"fmt"
	"hash/fnv"
	"os"
	"testing"
)

// PartEnv is the environment variable that names a part of the tests that make whole proofs, such as 2/3. Without it,
// all run.
const PartEnv = "WHET_PART"

// Part skips a test, or a case of one, that is in another part. Its name decides.
func Part(t testing.TB) {
	t.Helper()
	if !InPart(t, t.Name()) {
		t.Skip("in another part")
	}
}

// InPart reports whether something with a name is in the part.
func InPart(t testing.TB, name string) bool {
	t.Helper()
	text := os.Getenv(PartEnv)
	if text == "" {
		return true
	}
	var part, of uint32
	if _, err := fmt.Sscanf(text, "%d/%d", &part, &of); err != nil || part < 1 || part > of {
		t.Fatalf("%s=%s, want a part such as 2/3", PartEnv, text)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return h.Sum32()%of == part-1
}
