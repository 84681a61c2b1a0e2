package earlyreturn

import (
	"testing"

	"github.com/whet-go/whet/find/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, New()) }
