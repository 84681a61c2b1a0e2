package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/docs"
)

// glossaryTopic returns the topic of "whet help glossary". To cobra, a command that cannot run is a help topic.
func glossaryTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "glossary",
		Short: "Explain the terms that whet uses",
		Long:  glossaryText(docs.Glossary),
	}
}

// glossaryText returns the glossary without Markdown's marks.
func glossaryText(markdown string) string {
	_, text, _ := strings.Cut(markdown, "\n\n") // the title
	return strings.NewReplacer("**", "", "## ", "", "`", "").Replace(strings.TrimSpace(text))
}
