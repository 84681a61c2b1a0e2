package http1

import "math"

func (p *Parser) beginChunk() {
	p.state, p.num, p.numDigits, p.chunkLine = chunkSize, 0, 0, 0
}

// chunkByte reads one byte of chunk framing. Lines must end with a carriage return and a line feed
// here (RFC 9112, erratum 7633).
func (p *Parser) chunkByte(c byte) error {
	switch p.state {
	case chunkSize, chunkSpace, chunkExt:
		if c == '\r' {
			if p.numDigits == 0 {
				return malformed("chunk without a size")
			}
			p.state = chunkLineEnd
			return nil
		}
		if c == '\n' {
			return malformed("bare line feed after a chunk size")
		}
		if p.chunkLine++; p.chunkLine > maxChunkLine {
			return malformed("chunk size line is longer than %d bytes", maxChunkLine)
		}
		if p.state != chunkExt {
			return p.sizeByte(c)
		}
	case chunkLineEnd:
		if c != '\n' {
			return malformed("carriage return within a chunk size line")
		}
		return p.endChunkLine()
	case chunkCR:
		if c != '\r' {
			return malformed("chunk is longer than its size")
		}
		p.state = chunkLF
	default:
		if c != '\n' {
			return malformed("chunk is longer than its size")
		}
		p.beginChunk()
	}
	return nil
}

// sizeByte reads a byte of a chunk size and what follows it.
func (p *Parser) sizeByte(c byte) error {
	digit := hexDigit(c)
	switch {
	case p.numDigits == 0 && digit < 0:
		return malformed("chunk size begins with byte %#02x", c)
	case c == ' ' || c == '\t':
		p.state = chunkSpace
	case p.state == chunkSize && c == ';':
		p.state = chunkExt
	case p.state == chunkSize && digit >= 0:
		if p.numDigits++; p.numDigits > 16 || p.num > math.MaxInt64>>4 {
			return malformed("chunk size is too large")
		}
		p.num = p.num<<4 | int64(digit)
	default:
		return malformed("byte %#02x in a chunk size", c)
	}
	return nil
}

// endChunkLine begins the data of a chunk, or the trailer after the last one.
func (p *Parser) endChunkLine() error {
	if p.num == 0 {
		p.inTrailer = true
		p.beginSection()
		return nil
	}
	excess := int64(p.excess) + int64(p.chunkLine) + 2 - 16
	if p.excess = int32(max(excess-2*min(p.num, maxHead), 0)); p.excess > maxExcess {
		return malformed("chunk framing exceeds the limit")
	}
	p.state, p.left = chunkData, p.num
	return nil
}
