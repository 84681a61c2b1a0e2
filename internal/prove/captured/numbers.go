package captured

import (
	"fmt"
	"go/types"
)

// nearNumber returns the code of a value of a basic type that the input may change a little if it is a number.
func nearNumber(t *types.Basic, code string) string {
	return near(t, "whetlib.NearNumber", "whetlib.NearFloat", code)
}

// nearNumbers returns the code of a list of them, of which the input may change one.
func nearNumbers(t *types.Basic, code string) string {
	return near(t, "whetlib.NearNumbers", "whetlib.NearFloats", code)
}

func near(t *types.Basic, number, float, code string) string {
	switch info := t.Info(); {
	case code == "":
	case info&types.IsInteger != 0:
		return fmt.Sprintf("%s(s, %s, %t)", number, code, maySize(t.Kind()))
	case info&types.IsFloat != 0:
		return fmt.Sprintf("%s(s, %s)", float, code)
	}
	return code
}

// maySize reports whether numbers of a kind may be sizes or counts of turns, of which large ones take memory and time:
// those without a given width, as for generated inputs.
func maySize(kind types.BasicKind) bool {
	return kind == types.Int || kind == types.Uint || kind == types.Uintptr
}
