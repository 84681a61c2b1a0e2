package service

import "github.com/whet-go/whet/load"

// Alone returns the command and the load of a side, 0 for A and 1 for B, without placeholders, for what else is done
// with it. The addresses were free just now; another program may take one first.
func (o *Options) Alone(side int) (Command, load.Options, error) {
	where, err := instances(o.Commands, o.URLs)
	if err != nil {
		return Command{}, load.Options{}, err
	}
	defer release(where)
	l, err := loadOptions(o.Load, where[side])
	return where[side].command, l, err
}
