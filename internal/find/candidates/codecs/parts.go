package codecs

// Functions that read parts of a text. Each returns the position after the part; -1 if it does not understand it.
// %[1]s is the function's name, %[2]s that of another one, %[3]s a package.
const (
	spacePart = `// %[1]s returns the position of what is not space.
func %[1]s(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}`

	quotedPart = `// %[1]s reads a string without escapes. It returns its text, and the position after it; -1 if it is another.
func %[1]s(data []byte, i int) (text []byte, end int) {
	if i >= len(data) || data[i] != '"' {
		return nil, -1
	}
	ascii := true
	for end = i + 1; end < len(data) && data[end] != '"'; end++ {
		switch c := data[end]; {
		case c < ' ' || c == '\\':
			return nil, -1
		case c >= 0x80:
			ascii = false
		}
	}
	if end >= len(data) {
		return nil, -1
	}
	text = data[i+1 : end]
	if !ascii && !%[3]s.Valid(text) {
		return nil, -1
	}
	return text, end + 1
}`

	textPart = `// %[1]s reads a string without escapes. It returns the position after it; -1 if it is another.
func %[1]s(data []byte, i int) (text string, end int) {
	quoted, end := %[2]s(data, i)
	return string(quoted), end
}`

	naturalPart = `// %[1]s reads a number of at most 18 digits. It returns the position after it; -1 if it is another.
func %[1]s(data []byte, i int) (n uint64, end int) {
	for end = i; end < len(data) && '0' <= data[end] && data[end] <= '9'; end++ {
		n = n*10 + uint64(data[end]-'0')
	}
	if end == i || end > i+18 || data[i] == '0' && end > i+1 {
		return 0, -1
	}
	if end < len(data) && (data[end] == '.' || data[end] == 'e' || data[end] == 'E') {
		return 0, -1
	}
	return n, end
}`

	integerPart = `// %[1]s reads an integer of at most 18 digits. It returns the position after it; -1 if it is another.
func %[1]s(data []byte, i int) (n int64, end int) {
	if i < len(data) && data[i] == '-' {
		n, end := %[2]s(data, i+1)
		return -int64(n), end
	}
	natural, end := %[2]s(data, i)
	return int64(natural), end
}`

	numberPart = `// %[1]s reads a number. It returns the position after it; -1 if it is none.
func %[1]s(data []byte, i, bits int) (x float64, end int) {
	digits := func(i int) int {
		for i < len(data) && '0' <= data[i] && data[i] <= '9' {
			i++
		}
		return i
	}
	first := i
	if first < len(data) && data[first] == '-' {
		first++
	}
	if end = digits(first); end == first || data[first] == '0' && end > first+1 {
		return 0, -1
	}
	if end < len(data) && data[end] == '.' {
		fraction := end + 1
		if end = digits(fraction); end == fraction {
			return 0, -1
		}
	}
	if end < len(data) && (data[end] == 'e' || data[end] == 'E') {
		exponent := end + 1
		if exponent < len(data) && (data[exponent] == '+' || data[exponent] == '-') {
			exponent++
		}
		if end = digits(exponent); end == exponent {
			return 0, -1
		}
	}
	x, err := %[3]s.ParseFloat(string(data[i:end]), bits)
	if err != nil {
		return 0, -1
	}
	return x, end
}`

	truthPart = `// %[1]s reads true or false. It returns the position after it; -1 if it is none.
func %[1]s(data []byte, i int) (truth bool, end int) {
	if i >= 0 && i+4 <= len(data) && string(data[i:i+4]) == "true" {
		return true, i + 4
	}
	if i >= 0 && i+5 <= len(data) && string(data[i:i+5]) == "false" {
		return false, i + 5
	}
	return false, -1
}`

	endPart = `// %[1]s returns the position after a value, which need not be valid; -1 if it does not end.
func %[1]s(data []byte, i int) int {
	for depth := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}`

	otherPart = `// %[1]s reads any value into what v refers to. It returns the position after it; -1 if that is not possible.
func %[1]s(data []byte, i int, v any) int {
	end := %[2]s(data, i)
	if end < 0 || end > len(data) || %[3]s.Unmarshal(data[i:end], v) != nil {
		return -1
	}
	return end
}`

	anythingPart = `// %[1]s reads a value of a type that its text decides. It returns the position after it; -1 if it does not
// understand it.
func %[1]s(data []byte, i, depth int) (x any, end int) {
	if i >= len(data) || depth > 1000 {
		return nil, -1
	}
	switch data[i] {
	case '"':
		if text, end := %[quoted](data, i); end >= 0 {
			return string(text), end
		}
	case 't', 'f':
		return %[truth](data, i)
	case 'n':
	case '[':
		list := []any{}
		if i = %[space](data, i+1); i < len(data) && data[i] == ']' {
			return list, i + 1
		}
		for {
			var one any
			if one, i = %[1]s(data, i, depth+1); i < 0 {
				return nil, -1
			}
			list = append(list, one)
			if i = %[space](data, i); i >= len(data) || data[i] != ',' {
				break
			}
			i = %[space](data, i+1)
		}
		if i >= len(data) || data[i] != ']' {
			return nil, -1
		}
		return list, i + 1
	case '{':
		m := map[string]any{}
		if i = %[space](data, i+1); i < len(data) && data[i] == '}' {
			return m, i + 1
		}
		for {
			key, end := %[quoted](data, i)
			if end < 0 {
				return nil, -1
			}
			if i = %[space](data, end); i >= len(data) || data[i] != ':' {
				return nil, -1
			}
			var one any
			if one, i = %[1]s(data, %[space](data, i+1), depth+1); i < 0 {
				return nil, -1
			}
			m[string(key)] = one
			if i = %[space](data, i); i >= len(data) || data[i] != ',' {
				break
			}
			i = %[space](data, i+1)
		}
		if i >= len(data) || data[i] != '}' {
			return nil, -1
		}
		return m, i + 1
	default:
		if number, end := %[number](data, i, 64); end >= 0 {
			return number, end
		}
		return nil, -1
	}
	return x, %[other](data, i, &x)
}`
)
