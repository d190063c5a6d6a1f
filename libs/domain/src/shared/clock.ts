/** The current time in milliseconds since 1970-01-01 UTC. Commands carry it; deciders and projections never ask for it. */
export type Clock = () => number;
