// Package workload determines the requests of a load: for which hosts, in which order, and when
// they are due in the open model.
//
// Data flow:
//
//  1. The plan of a run makes a [Host] for each server and adds an [Endpoint] for each request to
//     it ([Host.Add]). [Share] then divides connections and rate among the hosts by weight.
//  2. A worker takes the next request of a host, and the row of variables to fill it with, from its
//     [Picker]. The pickers of several workers share the requests evenly.
//  3. In the open model it takes the times from its part of the [Schedule]. The parts together are
//     the whole schedule, whatever their number.
//
// Hosts are read-only once pickers use them. Pickers and schedules belong to one worker and are not
// safe for concurrent use. The package sends nothing.
package workload
