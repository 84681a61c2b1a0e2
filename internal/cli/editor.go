package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/blocks"
)

// editorFlag is the editor that places on pages lead to.
type editorFlag struct{ Editor string }

func (f *editorFlag) registerEditor(cmd *cobra.Command) {
	registerEditor(cmd, &f.Editor, "with --format html, ")
}

// registerEditor adds the flag. when begins its help.
func registerEditor(cmd *cobra.Command, name *string, when string) {
	cmd.Flags().StringVar(name, "editor", blocks.DefaultEditor,
		when+"link places to `EDITOR`: "+strings.Join(blocks.EditorNames(), ", ")+
			", or an address with {path} or {file}, and {line}")
	_ = cmd.RegisterFlagCompletionFunc("editor",
		cobra.FixedCompletions(blocks.EditorNames(), cobra.ShellCompDirectiveNoFileComp))
}

// editor returns the editor of places in the module in dir, "" being the current directory.
func (f *editorFlag) editor(dir string) (blocks.Editor, error) {
	return editor(cmp.Or(f.Editor, blocks.DefaultEditor), dir)
}

// editor returns an editor by its name or address, for a directory, "" being the current one.
func editor(name, dir string) (blocks.Editor, error) {
	e, err := blocks.NewEditor(name, cmp.Or(dir, "."))
	if err != nil {
		return e, &diag.Error{
			Op: "--editor", Err: err, Kind: diag.Usage,
			Hint: "for example --editor vscode, --editor none, or --editor 'vscode://file{path}:{line}'",
		}
	}
	return e, nil
}

// checkEditor checks the flag before any work, for the command op with the format.
func (f *editorFlag) checkEditor(op string, cmd *cobra.Command, format string) error {
	if err := checkUseless(op, cmd.Flags().Changed, []useless{
		{"editor", format != "html", "without --format html", "add it, or leave --editor out"},
	}); err != nil {
		return err
	}
	_, err := f.editor("")
	return err
}

// withEditor returns a document whose places lead to the editor.
func (f *editorFlag) withEditor(d *blocks.Document, dir string) *blocks.Document {
	d.Editor, _ = f.editor(dir) // it was checked
	return d
}
