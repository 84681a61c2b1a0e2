package source

import "testing"

func TestDemangle(t *testing.T) {
	for name, want := range map[string]string{
		"_ZN4absl8str_utilERKSs":                   "absl::str_util",
		"_ZNSt6vectorIiSaIiEE9push_backERKi":       "std::vector::push_back",
		"_RNvCskwGfYPst2Cb_3foo16example_function": "foo::example_function",
		"main.(*T[...]).Method":                    "main.(*T[...]).Method",
		"runtime.mallocgc":                         "runtime.mallocgc",
		"printf":                                   "printf",
	} {
		if got := Demangle(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
