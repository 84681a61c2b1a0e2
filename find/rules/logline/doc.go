// Package logline defines a rule: a log line costs more than its text.
//
// Printf converts each operand to an interface, which allocates, and parses the format on every
// call. A logger that writes to a file makes one system call per line while all other goroutines
// wait for it. The arguments of a slog call are evaluated before slog checks whether the level
// is enabled.
//
// # Before
//
//	l.Printf("request %s took %v", name, took)
//	slog.Debug("request", "header", fmt.Sprintf("%s: %s", key, value))
//
// # After
//
//	_ = l.Output(1, "request "+name+" took "+took.String())
//	if slog.Default().Enabled(context.Background(), slog.LevelDebug) {
//		slog.Debug("request", "header", fmt.Sprintf("%s: %s", key, value))
//	}
//
// # Evidence
//
// The CPU profile shows package fmt called from the line, or os.(*File).Write below package log.
// The allocation profile charges the operands to the line itself.
//
// # Safety
//
// Printf is rewritten only if the format is a constant with only %s, %v, %d, %q and %t without
// flags, and the operands are strings, integers and bools without methods, or of type
// time.Duration: the text is the same, whatever bytes it contains. Output with depth 1 reports
// the same source line as Printf. If the logger discards everything, the text is built for nothing.
//
// A slog call is guarded by a condition only if its arguments are built with fmt.Sprint and
// similar functions from strings, numbers and bools without methods, so that skipping them has
// no side effect.
//
// Lines are buffered into larger writes only where the program shows how its log is closed: the
// logger is returned along with a function that closes it, or the file is closed by a deferred
// call. The buffer is closed there, before the file, so a normal exit loses nothing, and each
// line is written whole, in order and within a second. Lines logged after that are written at
// once. The function that closes the log returns the first write error, or its own. There is no
// such rewrite where the package may exit at once, as log.Fatal does.
//
// A command that opens its log in init or main, only for log.SetOutput, and never closes it,
// writes pending lines wherever it ends itself instead: when main returns or panics, before each
// os.Exit, and after the last line of each log.Fatal, which becomes log.Print and os.Exit.
//
// This needs review: a crash, an unhandled signal, or os.Exit in another package loses the lines
// of the last second, which are the ones needed then. A server that only a signal ends always
// loses them. Programs that follow the file see lines later.
package logline
