// Package wire has the messages of Pyroscope's querier.v1 API, and encodes and decodes them in
// protobuf and in protobuf's JSON.
//
// Data flow:
//
//  1. A message is a struct whose tags name the numbers of its fields: pb:"3". [Marshal] and
//     [Unmarshal] walk it with package reflect.
//  2. [MarshalJSON] and [UnmarshalJSON] use encoding/json: fields with 64 bits are types that JSON
//     has as strings, and names may be written in camel case or as in the definition.
//
// [ParseTime] reads times as parameters of Pyroscope's older API have them.
//
// The types that Pyroscope generates are not used, because they link grpc-go, grpc-gateway and
// OpenAPI into the binary. Tests compare every message with theirs.
//
// Fields that a message does not have are skipped. Nothing is kept of the input.
package wire
