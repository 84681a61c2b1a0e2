package layout

import (
	"strconv"
	"strings"
)

// A Frame is a call on a stack. File and Line are "" and 0 if unknown.
type Frame struct {
	Func string
	File string
	Line int
}

// FrameText formats a frame that starts at column used.
func FrameText(s Style, f Frame, color Color, used int) Painted {
	at := ""
	if f.File != "" {
		at = "  " + FitPath(f.File, s.Remaining(used+24, 16))
		if i := strings.LastIndexByte(at, '/'); s.Width > 0 && Columns(f.Func)+Columns(at)+used+6 > s.Width &&
			i >= 0 {
			at = "  " + at[i+1:]
		}
		if f.Line > 0 {
			at += ":" + strconv.Itoa(f.Line)
		}
	}
	return Join(s.Paint(color, FitName(f.Func, s.Remaining(used+Columns(at), 20))),
		s.Paint(Dim, at))
}
