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
// No line is lost, none is written at another time. Printf is rewritten only if the format is a
// constant of %s, %v, %d, %q and %t without flags, and the operands are strings, integers and bools
// without methods, or of type time.Duration: the text is the same, whatever bytes are in it. Output
// with depth 1 names the same line of source as Printf does. If the logger discards everything, the
// text is made for nothing.
//
// A line of slog is put under a condition only if what it computes is text of fmt.Sprint and its kin
// from strings, numbers and bools without methods: nobody misses it.
//
// To write many lines at once is for somebody to decide who knows what may be lost in a crash, and
// where the program ends: the rule reports it, without a rewrite. What waits must be written when the
// program ends, and after a while at the latest.
package logline
