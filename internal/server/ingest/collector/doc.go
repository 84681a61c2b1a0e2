// Package collector has the test that runs the OpenTelemetry collector between a client and whet serve. It is
// a separate module, since the collector has more dependencies than whet. `make collector` runs it.
package collector
