// Package unbuffered defines a rule: a file or connection is written or read in small pieces.
//
// Each write to an *os.File or a net.Conn is a system call, of a microsecond or so, and to a
// connection a packet. Text that a loop writes line by line should be collected in a bufio.Writer first.
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
// The CPU profile has os.(*File).Write, net.(*conn).Write or the reads of these below the line, with a
// system call below them.
//
// # Safety
//
// There is no rewrite. What waits in memory is lost if the program ends, returns or panics before it
// is flushed; errors come later than the write that they are of; who reads the other end (a person at
// a terminal, a program that answers) may wait for what is not sent yet. Where the function reads from the same
// connection in the loop, the rule is quiet.
package unbuffered
