package history

import (
	"errors"
	"io/fs"

	"github.com/whet-go/whet/internal/diag"
)

// hinted gives an error of Read or Add its hint.
func hinted(err error) error {
	const measure = "`go test -run '^$' -bench . -benchmem -count 10 > FILE`"
	dirty := (*DirtyError)(nil)
	switch {
	case errors.Is(err, ErrEmpty):
		return &diag.Error{Err: err, Hint: "add some: " + measure + ", then `whet bench history add DIR FILE`"}
	case errors.Is(err, ErrNoResults):
		return &diag.Error{Err: err, Hint: "give the output of this command: " + measure}
	case errors.Is(err, ErrNoRepository):
		return &diag.Error{
			Op: "bench history add", Err: err,
			Hint: "results belong to a commit: run this in the repository that was measured",
		}
	case errors.Is(err, ErrOtherCommit):
		return &diag.Error{Op: "bench history add", Err: err, Hint: "name it: --commit HASH"}
	case errors.Is(err, ErrChanged):
		return &diag.Error{
			Op: "bench history add", Err: err, Hint: "commit and measure again, or mark the results with --dirty",
		}
	case errors.Is(err, ErrNoBase):
		return &diag.Error{Op: "bench history add", Err: err, Hint: "name it: --base-commit REV"}
	case errors.Is(err, ErrAlone):
		return &diag.Error{Op: "--base-commit", Err: err, Hint: "name them: --base FILE", Kind: diag.Usage}
	case errors.As(err, &dirty):
		return &diag.Error{
			Op: "bench history add", Err: err,
			Hint: "commit and measure again, mark the results with --dirty, or name another commit with --commit REV",
		}
	case errors.Is(err, fs.ErrNotExist):
		return &diag.Error{Err: err, Hint: "create it: " + measure + ", then `whet bench history add DIR FILE`"}
	}
	return err
}
