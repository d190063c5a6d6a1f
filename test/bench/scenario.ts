import type { RecordableHistogram } from 'node:perf_hooks';
import type { Cleanup } from '#test/support/cleanup.js';
import type { Child } from './servers/child.js';
import type { LogbookServer } from './servers/logbook-server.js';

/** How long and how often to measure. */
export type Effort = Readonly<{
  /** Rounds before the first that counts. */
  warmUps: number;
  /** Rounds that count; a round is one slice of each side. */
  rounds: number;
  /** Length of a slice, where the scenario can choose it. */
  sliceSeconds: number;
  /** Events of the scenarios about large logs. */
  manyEvents: number;
}>;

/** What one slice gave. */
export type Sample = Readonly<{
  /** Requests, commands, reads or events. */
  perSecond: number;
  /** How many of them there were. */
  calls?: number;
  /** How many answers came before what they promise could be read. */
  late?: number;
  /** CPU time for each of them: of the server's process, or of this one where the work is done here. */
  cpuMicros?: number;
  /** Share of the time that the load generator was busy, 0 to 1: near 1 it is the generator that was measured, not the server. */
  generatorBusy?: number;
  p50Ms?: number;
  p99Ms?: number;
  /** Times of all calls, in microseconds. */
  latencies?: RecordableHistogram;
}>;

/** Does the work for one slice. @throws when any of it went wrong */
export type Side = () => Promise<Sample>;

/** `atLeast`: throughput of Logbook / of the reference. `atMost`: time of Logbook / of the reference. */
export type Target = Readonly<{ atLeast: number } | { atMost: number }>;

/** What a scenario works with; what it starts must be handed to `cleanup`. */
export type Lab = Readonly<{
  effort: Effort;
  cleanup: Cleanup;
  /** Further variables of Logbook's environment. */
  environment: Readonly<Record<string, string>>;
  /** Directory for CPU profiles of Logbook's servers. */
  profiles?: string;
  /** Is given each server of Logbook that a scenario starts, when it is ready. */
  onServer?(server: LogbookServer): void;
  /** Is given each reference that is a process of its own. */
  onReference?(reference: Child): void;
}>;

/** One comparison of design.md section 9. Each starts everything it needs itself, so that none sees traces of another. */
export type Scenario = Readonly<{
  /** `<stores>: <work>`. */
  name: string;
  /** What it is compared with, in one line. */
  reference: string;
  /** Absent: shown, not judged. */
  target?: Target;
  prepare(lab: Lab): Promise<Readonly<{ logbook: Side; reference: Side }>>;
}>;
