// Package smalldisk gives tests a disk that they can fill, without filling that of the machine: a file system in memory
// of a given size. Only Linux has it, for root.
package smalldisk
