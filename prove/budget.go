package prove

import (
	"context"
	"fmt"
	"time"

	"github.com/whet-go/whet/internal/prove/differ/pace"
)

// Parts of the time that remains until the deadline of a proof, which its stages may use at most.
const (
	compareShare = 0.4
	raceShare    = 0.25
	configShare  = 0.2
	measureShare = 0.6
	layoutShare  = 0.4
	mutantShare  = 0.5
)

// leastTime is the least that a stage gets, whatever the deadline: less is useless.
const leastTime = 500 * time.Millisecond

// untilDeadline returns how long each of n parts of a stage may take: at most most, which means no limit if
// it is 0, and a share of the time until the context's deadline, if it has one.
func untilDeadline(ctx context.Context, most time.Duration, share float64, n int) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return most
	}
	limit := max(time.Duration(share*float64(time.Until(end)))/time.Duration(max(n, 1)), leastTime)
	if most == 0 {
		return limit
	}
	return min(most, limit)
}

// paceOf returns how long functions of the next of n packages are called: for less than what is configured if there
// are many, and the deadline requires it.
func (f *Prover) paceOf(ctx context.Context, n int) *pace.Pace {
	if f.o.FuzzInputs > 0 {
		return nil
	}
	return pace.Until(f.o.FuzzTime, untilDeadline(ctx, 0, compareShare, n))
}

// withBudget returns a context that ends with the budget of a request.
func (q *Request) withBudget(ctx context.Context) (context.Context, context.CancelFunc) {
	if q.Budget <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, q.Budget, fmt.Errorf("the budget of %v ran out", q.Budget))
}

// outOfTime returns the budget's error if it has ended a proof, and the user has not.
func outOfTime(user, limited context.Context) error {
	if limited.Err() == nil || user.Err() != nil {
		return nil
	}
	return context.Cause(limited)
}
