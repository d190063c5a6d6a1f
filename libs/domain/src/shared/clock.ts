/** Where "now" comes from: milliseconds since 1970-01-01 UTC. It is asked where commands are made, never in deciders or projections. */
export type Clock = () => number;
