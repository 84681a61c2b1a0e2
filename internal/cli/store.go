package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/stores"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/local"
	"github.com/whet-go/whet/unit"
)

// retentionFlags limit what a store keeps.
type retentionFlags struct {
	Age  string
	Size byteSize
}

func (f *retentionFlags) registerRetention(fs *pflag.FlagSet) {
	fs.StringVar(&f.Age, "retention", "",
		"delete profiles of this `AGE` after their start, such as 30d or 12h (default: none)")
	fs.Var(&f.Size, "max-store-size", "delete the oldest profiles above this `SIZE` of the store, such as 10GB")
}

// retention reads the flags.
func (f *retentionFlags) retention() (store.Retention, error) {
	r := store.Retention{Size: int64(f.Size)}
	if f.Age == "" {
		return r, nil
	}
	var err error
	if r.Age, err = parseAge("--retention", f.Age); err == nil && r.Age <= 0 {
		err = diag.Usagef("--retention", "must be positive", "leave it out to keep profiles forever")
	}
	return r, err
}

// parseAge reads a time in days, or as Go writes it.
func parseAge(flag, text string) (time.Duration, error) {
	var days int
	if n, err := fmt.Sscanf(text, "%dd", &days); err == nil && n == 1 && text == fmt.Sprintf("%dd", days) {
		return time.Duration(days) * 24 * time.Hour, nil
	}
	age, err := time.ParseDuration(text)
	if err != nil {
		return 0, diag.Usagef(flag, fmt.Sprintf("%q is not a time", text), "write 30d or 12h")
	}
	return age, nil
}

func (a *app) storeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Check, compact, back up and restore a store of profiles",
		Long: `Maintain the store in a directory or on ClickHouse, which whet serve --store and
whet push fill and whet query reads.`,
		Example: `  whet store stats --store profiles
  whet store check --store profiles
  whet store backup profiles.backup --store profiles
  whet store restore profiles.backup --store restored
  whet store compact --store profiles --retention 30d
  whet store migrate --store clickhouse://whet@db1:9000/whet --retention 30d`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.storeStatsCommand(), a.storeCheckCommand(), a.storeCompactCommand(), a.storeBackupCommand(),
		a.storeRestoreCommand(), a.storeMigrateCommand())
	return cmd
}

func (a *app) storeStatsCommand() *cobra.Command {
	f, asJSON := &storeFlags{}, false
	cmd := &cobra.Command{
		Use:     "stats",
		Short:   "Show what is stored of each service, and how large it is",
		Long:    "Show what is stored of each service, and how large it is.",
		Example: "  whet store stats --store profiles",
		Args:    cobra.NoArgs,
	}
	f.registerStore(cmd.Flags(), false)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.withDatabase(cmd.Context(), f, local.Options{ReadOnly: true}, func(s database) error {
			stats, err := s.Stats(cmd.Context())
			if err != nil {
				return err
			}
			doc := documents.NewStats(stats)
			doc.Warnings = a.warned
			return show(a, asJSON, doc, stores.WriteStats)
		})
	}
	return cmd
}

// withDatabase opens a store, works on it, and closes it.
func (a *app) withDatabase(ctx context.Context, f *storeFlags, o local.Options, work func(database) error) error {
	if f.Store == "" {
		return diag.Usagef("store", "no store is named", "name its directory with --store DIR")
	}
	s, err := a.openDatabase(ctx, "store", f, o)
	if err != nil {
		return err
	}
	return errors.Join(work(s), s.Close())
}

// checked shows the progress of checking profiles on a line.
func checked(line *progress.Line) func(done, all int) {
	return func(done, all int) {
		line.Show(progress.Status{Running: []string{fmt.Sprintf("checked %d of %d profiles", done, all)}})
	}
}

func (a *app) storeCheckCommand() *cobra.Command {
	f, asJSON := &storeFlags{}, false
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Read everything, and name what is damaged",
		Long: `Read everything that is stored, and verify the database, the references in it,
and the hash of each profile's content. It can run while the store is in use.
The exit code is 1 if anything is damaged.`,
		Example: "  whet store check --store profiles",
		Args:    cobra.NoArgs,
	}
	f.registerStore(cmd.Flags(), false)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.withDatabase(cmd.Context(), f, local.Options{ReadOnly: true}, func(s database) error {
			line := a.newLine()
			r, err := s.Check(cmd.Context(), checked(line))
			line.Clear()
			if err != nil {
				return err
			}
			return a.writeCheck(documents.NewCheck(plainStore(f.Store), r), asJSON)
		})
	}
	return cmd
}

// writeCheck writes the result of a check; damage is an error.
func (a *app) writeCheck(doc documents.Check, asJSON bool) error {
	write := func(w io.Writer) error { return stores.WriteCheck(w, a.style, doc) }
	var err error
	if asJSON {
		doc.Warnings = a.warned
		err = a.writeJSON(doc)
	} else {
		err = a.write(write)
	}
	if err == nil && len(doc.Damage) > 0 {
		err = &diag.Error{
			Op: "check", Subject: doc.Store, Err: errors.New("the store is damaged"),
			Hint: "`whet store restore` makes a store from a backup; what is not damaged can still be queried",
		}
	}
	return err
}

func (a *app) storeCompactCommand() *cobra.Command {
	f, keep := &storeFlags{}, &retentionFlags{}
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "Delete what is too old, and give space back",
		Long: `Delete profiles by --retention and --max-store-size, join what was stored in
small parts, and give free space back to the file system. whet serve does the
same while it runs, so this is for a store that nothing else writes to. On
ClickHouse it deletes while others write; a size is that of all copies there.`,
		Example: "  whet store compact --store profiles --retention 30d",
		Args:    cobra.NoArgs,
	}
	f.registerStore(cmd.Flags(), false)
	keep.registerRetention(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		retention, err := keep.retention()
		if err != nil {
			return err
		}
		return a.withDatabase(cmd.Context(), f, local.Options{Retention: retention}, func(s database) error {
			if err := s.Compact(cmd.Context()); err != nil {
				return err
			}
			stats, err := s.Stats(cmd.Context())
			if err != nil {
				return err
			}
			return a.write(func(w io.Writer) error { return stores.WriteStats(w, a.style, documents.NewStats(stats)) })
		})
	}
	return cmd
}

func (a *app) storeBackupCommand() *cobra.Command {
	f := &storeFlags{}
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy a store to one file, while it is in use",
		Long: `Copy a store to one new file. The copy has all batches that were complete when
it began, and the store can be in use meanwhile.`,
		Example: "  whet store backup profiles.backup --store profiles",
		Args:    oneFile("backup", "name the file to write: `whet store backup FILE --store DIR`"),
	}
	f.registerStore(cmd.Flags(), false)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		const hint = "ClickHouse makes copies with BACKUP DATABASE, and has replicas"
		return a.withLocal(f, hint, local.Options{ReadOnly: true}, func(s *local.Store) error {
			size, err := s.Backup(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(a.stderr, "wrote %s (%s)\n", args[0], unit.Bytes(size))
			return nil
		})
	}
	return cmd
}

// oneFile accepts exactly one argument.
func oneFile(op, hint string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return diag.Usagef(op, "want one file", hint)
		}
		return nil
	}
}

func (a *app) storeRestoreCommand() *cobra.Command {
	f, asJSON := &storeFlags{}, false
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a store from a backup, after checking it",
		Long: `Make a store from a backup in a directory that has none. All of the backup is
checked first, as whet store check does; one with damage is refused.`,
		Example: "  whet store restore profiles.backup --store restored",
		Args:    oneFile("restore", "name the backup: `whet store restore FILE --store DIR`"),
	}
	f.registerStore(cmd.Flags(), false)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case f.Store == "":
			return diag.Usagef("store", "no store is named", "name its directory with --store DIR")
		case clickhouse.IsAddress(f.Store):
			return diag.Usagef("store", "a backup is of a store in a directory, not on ClickHouse",
				"ClickHouse restores with RESTORE DATABASE")
		case input.IsURL(f.Store):
			return diag.Usagef("store", plainAddress(f.Store)+" is an address of whet serve, not a directory",
				"restore into a new directory, and serve that")
		}
		return a.restore(cmd.Context(), args[0], f.Store, asJSON)
	}
	return cmd
}

func (a *app) restore(ctx context.Context, file, dir string, asJSON bool) error {
	line := a.newLine()
	r, err := local.Restore(ctx, file, dir, checked(line))
	line.Clear()
	if err != nil {
		return err
	}
	return a.writeCheck(documents.NewCheck(dir, r), asJSON)
}

func (a *app) storeMigrateCommand() *cobra.Command {
	f := &storeFlags{}
	var retention string
	var unreplicated, asJSON bool
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Create a store on ClickHouse, or bring its tables up to date",
		Long: `Create the database and the tables of a store on ClickHouse, or bring those of
an older whet up to date. It can be run again at any time; run it after servers
were added to a cluster.

?cluster=NAME in the address creates replicated tables on all servers of that
cluster, which needs ClickHouse Keeper or ZooKeeper. With --unreplicated there
is one copy and no Keeper; then the address names all servers.

--retention has the servers delete profiles of this age by themselves;
--retention none ends that.`,
		Example: `  whet store migrate --store clickhouse://whet@db1:9000/whet --retention 30d
  whet store migrate --store 'clickhouse://whet@db1,db2/whet?cluster=main'`,
		Args: cobra.NoArgs,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.Store, "store", "", "`ADDRESS` of ClickHouse: clickhouse://USER@HOST:PORT,…/DATABASE?cluster=NAME")
	fs.StringVar(&retention, "retention", "", "delete profiles of this `AGE`, such as 30d, or none (default: as it is)")
	fs.BoolVar(&unreplicated, "unreplicated", false, "keep one copy on the servers of the cluster, without a Keeper")
	fs.BoolVar(&asJSON, "json", false, "write JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !clickhouse.IsAddress(f.Store) {
			return diag.Usagef("migrate", "no store on ClickHouse is named",
				"name it with --store clickhouse://host:9000/database; one in a directory needs no migration")
		}
		address, err := clickhouse.ParseAddress(f.Store)
		if err != nil {
			return err
		}
		o := clickhouse.MigrateOptions{Unreplicated: unreplicated, Version: version().Version}
		switch {
		case unreplicated && address.Cluster == "":
			return diag.Usagef("migrate", "--unreplicated has no effect without a cluster", "add ?cluster=NAME to the address")
		case retention == "none":
			o.Retention = new(time.Duration)
		case retention != "":
			r, err := (&retentionFlags{Age: retention}).retention()
			if err != nil {
				return err
			}
			o.Retention = &r.Age
		}
		m, err := clickhouse.Migrate(cmd.Context(), address, o)
		if err != nil {
			return err
		}
		doc := documents.NewMigration(address.String(), m.Cluster, m.From, m.To)
		if asJSON {
			doc.Warnings = a.warned
			return a.writeJSON(doc)
		}
		return a.write(func(w io.Writer) error { return stores.WriteMigration(w, a.style, doc) })
	}
	return cmd
}
