// Package logline defines a rule: a line of the log costs more than its text.
//
// Printf puts each operand into an interface, which takes memory, and reads the format again for each
// line. A logger writes each line by a system call of its own if it writes to a file, and all
// goroutines wait for it meanwhile. What goes into a line of slog is computed before slog looks at
// whether the level is logged at all.
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
// The CPU profile has package fmt below the line, or os.(*File).Write below package log. The profile
// of allocations has the operands in the line itself.
//
// # Safety
//
// Printf is rewritten only if the format is a
// constant of %s, %v, %d, %q and %t without flags, and the operands are strings, integers and bools
// without methods, or of type time.Duration: the text is the same, whatever bytes are in it. Output
// with depth 1 names the same line of source as Printf does. If the logger discards everything, the
// text is made for nothing.
//
// A line of slog is put under a condition only if what it computes is text of fmt.Sprint and its kin
// from strings, numbers and bools without methods: nobody misses it.
//
// Lines are put together to large writes only where the program shows how its log ends: the logger is
// returned beside a function that closes it, or the file is closed by a deferred call. The buffer is
// closed there, before the file, so no line is lost at an ordinary end, and each is written after a
// second at the latest, whole and in its order. What is logged after that is written at once. The
// function that closes the log returns the first error of a write, or its own. There is no rewrite
// where something in the package ends the program at once, as log.Fatal does.
//
// This needs a review: a crash, a signal that nobody handles and os.Exit in another package lose the
// lines of the last second, which are those that one wants to read then. Who follows the file sees
// lines later.
package logline
