package blocks

import "testing"

// TestEditorTemplate leaves the place in the directory open.
func TestEditorTemplate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, dir, want string }{
		{DefaultEditor, "/work/a shop", "vscode://file/work/a%20shop/{file}:{line}"},
		{DefaultEditor, "/", "vscode://file/{file}:{line}"},
		{NoEditor, "/work", ""},
		{"https://example.com/m/{file}#L{line}", "/work", "https://example.com/m/{file}#L{line}"},
	} {
		e, err := NewEditor(test.name, test.dir)
		if got := e.Template(); err != nil || got != test.want {
			t.Errorf("%s in %s: %q, %v, want %q", test.name, test.dir, got, err, test.want)
		}
	}
}
