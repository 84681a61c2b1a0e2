package worker

import (
	"testing"

	"github.com/whet-go/whet/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
