package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/graphviz"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/report/pictures"
	"github.com/whet-go/whet/profile"
)

// maxGraphNodes is the maximum number of boxes to draw as SVG: more take Graphviz
// minutes, and the result is unreadable.
const maxGraphNodes = 1000

// graphFlags are the flags of whet graph besides those of all views.
type graphFlags struct {
	viewFlags
	outputFlags
	Format                     string
	NodeFraction, EdgeFraction float64
}

func graphFormats() []string { return []string{"svg", "dot", "json"} }

func (a *app) graphCommand() *cobra.Command {
	f := &graphFlags{}
	cmd := &cobra.Command{
		Use:   "graph " + profilesUsage,
		Short: "Draw the call graph as SVG or DOT",
		Long: `Draw the call graph: boxes are functions, arrows are calls. The text of a box
grows with its flat cost, its color deepens with its cumulative cost. Own code
is highlighted. A dashed arrow spans functions that are omitted.

The drawing is an SVG file for browsers: drag and scroll to move, click a box to
see its callers and callees. Graphviz is built in. --format dot writes the graph
for other tools.

` + profilesHelp,
		Example: `  whet graph -o cpu.svg demo.whet
  whet graph --type alloc_space --focus 'http\.Handler' -o allocs.svg demo.whet
  whet graph --by package -n 0 -o packages.svg cpu.pb.gz
  whet graph --format dot cpu.pb.gz`,
		Args: profileArgs,
	}
	f.register(cmd)
	f.registerN(cmd, documents.GraphNodes, "boxes")
	fs := cmd.Flags()
	f.registerOutput(cmd)
	fs.Lookup("output").Usage = "write to `FILE` (.svg, .dot or .json); - is standard output, the default"
	fs.StringVar(&f.Format, "format", "", "output `FORMAT`: svg, dot or json (default: by the name of the output, or svg)")
	fs.Float64Var(&f.NodeFraction, "node-fraction", documents.GraphNodeFraction,
		"omit boxes below this `FRACTION` of the total")
	fs.Float64Var(&f.EdgeFraction, "edge-fraction", documents.GraphEdgeFraction,
		"omit arrows below this `FRACTION` of the total")
	_ = cmd.RegisterFlagCompletionFunc("format",
		cobra.FixedCompletions(graphFormats(), cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagsMutuallyExclusive("format", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.graph(cmd.Context(), args, f) }
	return cmd
}

// format returns the output's format, from the flags or the output's name.
func (f *graphFlags) format() (string, error) {
	switch {
	case f.JSON:
		return "json", nil
	case f.Format != "":
		if !slices.Contains(graphFormats(), f.Format) {
			return "", unknownValue("graph", "format", f.Format, graphFormats())
		}
		return f.Format, nil
	}
	switch ext := strings.ToLower(filepath.Ext(f.Output)); ext {
	case ".dot", ".gv":
		return "dot", nil
	case ".json":
		return "json", nil
	case ".svg", "":
		return "svg", nil
	default:
		return "", diag.Usagef("graph", fmt.Sprintf("-o %s: unknown extension %q (want .svg, .dot or .json)", f.Output, ext),
			"--format takes "+strings.Join(graphFormats(), ", "))
	}
}

func (a *app) graph(ctx context.Context, args []string, f *graphFlags) error {
	format, err := f.format()
	if err != nil {
		return err
	}
	for name, part := range map[string]float64{"--node-fraction": f.NodeFraction, "--edge-fraction": f.EdgeFraction} {
		if !(part >= 0 && part <= 1) {
			return diag.Usagef("graph", fmt.Sprintf("%s %v: want a number from 0 to 1", name, part), "")
		}
	}
	if err := checkUseless("graph", f.given, []useless{
		{
			"unit",
			format == "json",
			"on JSON, which has values in the unit of the sample type",
			"leave it out, or write svg or dot",
		},
	}); err != nil {
		return err
	}
	if err := f.checkOutput(); err != nil {
		return err
	}
	if format == "svg" && !f.toFile() && isTerminal(a.stdout) {
		return diag.Usagef("graph", "will not print SVG to a terminal",
			"name a file: `whet graph -o graph.svg …`, or use `--format dot`")
	}
	var draw *graphviz.Renderer
	if format == "svg" {
		draw = graphviz.New(ctx) // gets ready while the profile is read
		defer func() { _ = draw.Close() }()
	}
	in, err := a.open(ctx, args, &f.viewFlags)
	if err != nil {
		return err
	}
	defer in.Close()
	if in.View.Query().By == profile.ByLabel {
		return diag.Usagef("graph", "labels have no call graph", "`whet top --by "+f.By+"` lists them")
	}
	kind := flame.Frames(in.Profile, in.View.Query().By, in.Own.Matcher())
	doc := documents.NewCallGraph(f.header(in), in.View, documents.GraphOptions{
		Nodes: f.N, NodeFraction: f.NodeFraction, EdgeFraction: f.EdgeFraction,
		Kind: func(n profile.Node) flame.Kind { return kind(n).Kind },
	})
	if format == "svg" && len(doc.Nodes) > maxGraphNodes {
		return &diag.Error{
			Op: "graph", Err: fmt.Errorf("too many boxes to draw: %d", len(doc.Nodes)),
			Hint: fmt.Sprintf("use -n with up to %d, --focus or --node-fraction; --format dot has no limit", maxGraphNodes),
		}
	}
	if len(doc.Nodes) == 0 {
		in.Warnings.Addf("nothing to draw")
	}
	a.warn(in.Warnings...)
	return a.writeOutput(&f.outputFlags, func(w io.Writer) error {
		switch format {
		case "dot":
			return pictures.WriteGraphDOT(w, doc)
		case "json":
			doc.Warnings = a.warned
			return report.JSON(w, doc)
		}
		return pictures.WriteGraphSVG(ctx, w, draw, doc)
	})
}
