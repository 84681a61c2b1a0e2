// Package unbuffered defines a rule: a file or connection is written or read in small pieces.
//
// Each write to an *os.File or a net.Conn is a system call of about a microsecond, and on a
// connection often a packet. Text that a loop writes line by line should be collected in a
// bufio.Writer first.
//
// # Before
//
//	for _, line := range lines {
//		fmt.Fprintln(f, line)
//	}
//
// # After
//
//	w := bufio.NewWriter(f)
//	for _, line := range lines {
//		fmt.Fprintln(w, line)
//	}
//	if err := w.Flush(); err != nil {
//		return err
//	}
//
// # Evidence
//
// The CPU profile shows os.(*File).Write, net.(*conn).Write or the corresponding reads called
// from the line, with a system call below them.
//
// # Safety
//
// There is no rewrite. Buffered data is lost if the program exits, returns or panics before it
// is flushed; errors are reported later than the write that caused them; and the reader at the
// other end (a person at a terminal, a program that answers) may wait for data that is not sent
// yet. The rule is silent where the function also reads from the same connection in the loop.
package unbuffered
