import type { Cleanup } from '#test/support/cleanup.js';

/** What came of an attack. `attempts` counts requests, damaged copies, restarts or whatever `detail` says. */
export type Outcome = Readonly<{ held: boolean; attempts: number; detail: string }>;

/**
 * Something that a hostile or broken caller does to a server of its own, on loopback, bounded in count and time. What it starts is registered
 * with `cleanup`. An outcome that did not hold makes the run fail; so does an error.
 */
export type Attack = Readonly<{ name: string; run(cleanup: Cleanup): Promise<Outcome> }>;
