package http2

import "encoding/binary"

// Frame types (RFC 9113, section 6).
const (
	frameData = iota
	frameHeaders
	framePriority
	frameResetStream
	frameSettings
	framePushPromise
	framePing
	frameGoAway
	frameWindowUpdate
	frameContinuation
)

// Frame flags.
const (
	flagEndStream  = 0x01
	flagAck        = 0x01
	flagEndHeaders = 0x04
	flagPadded     = 0x08
	flagPriority   = 0x20
)

// Settings (RFC 9113, section 6.5.2).
const (
	settingHeaderTableSize      = 0x1
	settingEnablePush           = 0x2
	settingMaxConcurrentStreams = 0x3
	settingInitialWindowSize    = 0x4
	settingMaxFrameSize         = 0x5
	settingMaxHeaderListSize    = 0x6
)

// headerSize is the length of a frame header.
const headerSize = 9

// A frame is a frame header.
type frame struct {
	length uint32
	typ    byte
	flags  byte
	id     uint32
}

func parseFrame(b []byte) frame {
	_ = b[headerSize-1]
	return frame{
		length: uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]),
		typ:    b[3], flags: b[4],
		id: binary.BigEndian.Uint32(b[5:]) &^ (1 << 31),
	}
}

func appendFrame(dst []byte, length int, typ, flags byte, id uint32) []byte {
	return append(dst, byte(length>>16), byte(length>>8), byte(length), typ, flags, byte(id>>24), byte(id>>16),
		byte(id>>8), byte(id))
}

func appendWindowUpdate(dst []byte, id uint32, n int32) []byte {
	return binary.BigEndian.AppendUint32(appendFrame(dst, 4, frameWindowUpdate, 0, id), uint32(n))
}

func appendReset(dst []byte, id uint32, code Code) []byte {
	return binary.BigEndian.AppendUint32(appendFrame(dst, 4, frameResetStream, 0, id), uint32(code))
}

func appendGoAway(dst []byte, code Code) []byte {
	// The last of the peer's streams that was processed: 0, for none.
	dst = binary.BigEndian.AppendUint32(appendFrame(dst, 8, frameGoAway, 0, 0), 0)
	return binary.BigEndian.AppendUint32(dst, uint32(code))
}
