package syntax

// IsDynamic reports whether packages of the standard library look for a method in values.
func IsDynamic(method string) bool {
	switch method {
	case "AppendBinary", "AppendText", "As", "Close", "CloseNotify", "CloseWrite", "Error", "FillBytes", "Flush", "Format",
		"GoString", "Hijack", "Is", "IsZero", "Len", "Less", "MarshalBinary", "MarshalJSON", "MarshalText", "MarshalXML",
		"Push", "Read", "ReadAt", "ReadByte", "ReadDir", "ReadFile", "ReadFrom", "ReadRune", "Scan", "Seek", "String",
		"Swap", "Temporary", "Timeout", "UnmarshalBinary", "UnmarshalJSON", "UnmarshalText", "UnmarshalXML",
		"UnreadByte", "UnreadRune", "Unwrap", "Value", "Write", "WriteAt", "WriteByte", "WriteRune", "WriteString",
		"WriteTo":
		return true
	}
	return false
}
