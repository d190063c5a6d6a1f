import type { Cleanup } from '#test/support/cleanup.js';
import { NO_WRONG_CLOCK } from '#test/support/clocks/wrong-clock.js';
import { check } from './checker/check.js';
import type { Call, FinalState, Violation } from './history.js';
import { API_NODES, CAST, Installation, PROJECTOR_NODES } from './parts/installation.js';
import { randomFrom } from './random.js';
import { describeFault, type Fault, type FaultKind, scheduleFor } from './schedule.js';
import { type Address, pause, Recorder } from './workload/client.js';
import { consumers, work } from './workload/clients.js';
import { finalState, untilReady } from './workload/ending.js';
import { prepare } from './workload/setting.js';

export type RunOptions = Readonly<{
  seed: number;
  /** Of faults; starting and the checks in the end come on top. */
  seconds: number;
  /** Empty: all kinds. */
  only?: readonly FaultKind[];
  /** That the nodes use for EventStoreDB, as in `LOGBOOK_EVENTSTORE_CLIENT`. Default `native`. */
  client?: string;
  /** Root of another build: nodes begin with it, change between both at each start, and end with this one. */
  beside?: string;
  /** Told what is going on, a line at a time. */
  say?: (line: string) => void;
}>;

export type RunReport = Readonly<{
  calls: readonly Call[];
  faults: readonly Fault[];
  violations: readonly Violation[];
  final: FinalState;
  /** The newest lines of each process. */
  lines: Readonly<Record<string, readonly string[]>>;
}>;

/** Violations that may only mean that a node shows a write late: the end is looked at again before it is called wrong. */
const SHOWN_LATE: readonly string[] = ['acknowledged write lost', 'call torn'];
const LOOKS_AT_THE_END = 4;

/** One run: an installation, clients, faults, and what the checker says of it. What it starts ends with the cleanup. */
export const runFaults = async (
  cleanup: Cleanup,
  { seed, seconds, only = [], client = 'native', beside, say = () => undefined }: RunOptions,
): Promise<RunReport> => {
  const random = randomFrom(seed ^ 0x5eed);
  const faults = scheduleFor(seed, seconds, CAST, only);
  const installation = await Installation.open(random.fork(), client, beside);
  cleanup.defer(() => installation.close());
  const addressOf = (node: string): Address => ({ node, port: installation.port(`clients>${node}`) });
  const addresses = API_NODES.map(addressOf);
  const auditor = addressOf(PROJECTOR_NODES[0]);
  await untilReady(addresses);
  await prepare(addresses[0] as Address, consumers());
  await untilReady(addresses);
  if (!CAST.clocks.includes(CAST.redis)) say(NO_WRONG_CLOCK);
  say(`started, ${faults.length} faults in ${seconds} s`);

  const recorder = new Recorder();
  const over = { isOver: false };
  cleanup.defer(() => {
    over.isOver = true;
  });
  const clients = work(addresses, recorder, random.fork(), () => over.isOver);
  await inflictAll(installation, faults, seconds, say);
  await installation.update();
  over.isOver = true;
  await clients;
  say(`faults are over after ${recorder.calls.length} calls`);

  const look = () => finalState(addresses, auditor, recorder.calls, () => installation.ended());
  let final = await look();
  let violations = check(recorder.calls, final);
  for (let looks = 1; looks < LOOKS_AT_THE_END && violations.some(({ rule }) => SHOWN_LATE.includes(rule)); looks++) {
    await pause(1_000);
    // Topics can be read once: their readers acknowledge.
    const { topics } = final;
    final = { ...(await look()), topics };
    violations = check(recorder.calls, final);
  }
  return { calls: recorder.calls, faults, violations, final, lines: installation.lines() };
};

/** Each fault at its time; resolves when all are over and mended. */
const inflictAll = async (
  installation: Installation,
  faults: readonly Fault[],
  seconds: number,
  say: (line: string) => void,
): Promise<void> => {
  const began = performance.now();
  const until = (at: number) => pause(Math.max(0, at - (performance.now() - began)));
  const inflict = async (fault: Fault): Promise<void> => {
    await until(fault.at);
    say(describeFault(fault));
    await installation.inflict(fault);
    await until(fault.at + fault.lasts);
    await installation.mend(fault);
  };
  await Promise.all([...faults.map(inflict), until(seconds * 1_000)]);
};
