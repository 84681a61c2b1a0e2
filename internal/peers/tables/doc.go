// Package tables writes rows into the tables of pages with measurements, and leaves the text around them.
//
//  1. [Update] reads the page and finds the first table below a heading.
//  2. A row replaces the one with the same first cell; a new one comes after the others, but before a row that sums
//     them up.
//  3. The line before the table that begins with "Measured on" gets the day and the machine.
//
// The package knows no measurement. It holds no state; a page must not be updated by two goroutines at once.
package tables
