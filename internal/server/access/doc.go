// Package access decides which requests a server answers.
//
// Data flow:
//
//  1. [Listen] opens an address. Other machines may only reach it with a token or with certificates
//     of clients: without either, it must be on the loopback interface.
//  2. [Guard.Check] passes requests whose Host is a name of this server, which foreign names that
//     resolve to it ("DNS rebinding") are not, and that no page of another site makes.
//  3. With a token, requests of the API carry it as a bearer token, or carry the cookie that
//     [Guard.Login] gives for it. Both are compared in constant time.
//
// Each tenant of a store has its own tokens: [ReadTenants] reads their hashes and scopes, and
// [Tenants.Tenant] returns whose token a request carries.
//
// Tokens are neither logged nor sent. A Guard is safe for concurrent use, and so are Tenants.
package access
