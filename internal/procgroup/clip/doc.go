// Package clip holds the beginning and the end of a command's output, so that endless output takes bounded memory.
//
// A [Buffer] is given to a command as its standard output or error, and read when the command has ended. It belongs to
// its creator and is safe for concurrent use. The package does not know where a line ends.
package clip
