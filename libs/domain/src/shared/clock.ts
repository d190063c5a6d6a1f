/** Current time in milliseconds since 1970-01-01 UTC. Commands carry the time; deciders and projections never read a clock. */
export type Clock = () => number;
