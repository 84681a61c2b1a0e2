package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/internal/find/documents"
	"github.com/whet-go/whet/internal/report/findings"
)

func (a *app) rulesCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rules [RULE...]",
		Short: "List or explain the rules of whet find",
		Long: `List or explain the rules of whet find: what is expensive, the code before and
after, how it shows in a profile, and why the rewrite keeps behavior.

The same rules run without a profile as go vet -vettool=$(which whet-vet) ./...`,
		Example: `  whet rules
  whet rules percall
  whet rules --json`,
		ValidArgsFunction: completeRules,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return a.rules(args, asJSON) }
	return cmd
}

func (a *app) rules(args []string, asJSON bool) error {
	chosen := index.Rules()
	if len(args) > 0 {
		chosen = nil
		for _, name := range args {
			r := index.Named(name)
			if r == nil {
				return unknownValue("rules", "rule", name, index.Names())
			}
			chosen = append(chosen, r)
		}
	}
	doc := documents.NewRules(chosen)
	if asJSON {
		doc.Warnings = a.warned
		return a.writeJSON(doc)
	}
	return a.write(func(w io.Writer) error {
		if len(args) > 0 {
			return findings.WriteRules(w, a.style, doc)
		}
		return findings.WriteRuleList(w, a.style, doc)
	})
}
