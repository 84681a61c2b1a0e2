package cli

import (
	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/profiles"
)

func (a *app) tagsCommand() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "tags " + profilesUsage,
		Short: "Show the labels of samples and their totals",
		Long: `Show the labels of the samples (tags, in pprof), their values, and the total of
the samples that have each. A program sets labels with pprof.Do; heap profiles
have the size of allocated blocks as the label "bytes".

` + profilesHelp,
		Example: `  whet tags heap.pb.gz
  whet tags --type alloc_objects -n 5 heap.pb.gz`,
		Args: profileArgs,
	}
	f.register(cmd)
	fixFlags(cmd, "the view is of labels, not of stacks", "by", "tagroot", "tagleaf")
	f.registerN(cmd, 20, "values of each label")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := a.open(cmd.Context(), args, f)
		if err != nil {
			return err
		}
		defer in.Close()
		a.warn(in.Warnings...)
		doc := documents.NewTags(f.header(in), in.View, f.N)
		doc.Warnings = a.warned
		return show(a, f.JSON, doc, profiles.WriteTags)
	}
	return cmd
}
