import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Violation } from '#test/faults/history.js';
import { randomFrom } from '#test/faults/random.js';
import { Recorder } from '#test/faults/workload/client.js';
import { work } from '#test/faults/workload/clients.js';
import type { CallKind, DiskShim, NthFault } from '#test/support/event-stores/failing-disk.js';
import { addressAt, flawsOfData, flawsOfProcess, launchNode, stepsOf, temporaryData, textIn } from './embedded-node.js';
import { type Change, readJournal } from './journal.js';

/** In one round. */
const STEPS = 90;
/** Each of the first calls of a kind fails, then one in so many that there are as many again. */
const FIRST = 200;

/** `isNew`: begun on an empty directory. */
export type NthCase = NthFault & Readonly<{ isNew: boolean }>;

const KINDS: readonly CallKind[] = ['write', 'flush', 'rename', 'open', 'truncate'];

const kindOf = ({ kind }: Change): CallKind | undefined =>
  kind === 'cut' ? 'truncate' : kind === 'flush directory' ? 'flush' : KINDS.find((one) => one === kind);

/** A run without faults. @param template `undefined`: an empty directory. @returns how many calls of each kind it makes */
const countCalls = async (shim: DiskShim, template: string | undefined): Promise<ReadonlyMap<CallKind, number>> => {
  const data = await temporaryData(template);
  const journal = `${data.path}.journal`;
  try {
    const server = launchNode(data.path, shim.recorded(data.path, journal));
    await work(
      [addressAt(await server.url)],
      new Recorder(),
      randomFrom(1),
      stepsOf(template === undefined ? 0 : STEPS, () => server.hasEnded),
    );
    await server.signal('SIGTERM');
    const counts = new Map<CallKind, number>();
    for (const change of readJournal(journal)) {
      const kind = kindOf(change);
      if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return counts;
  } finally {
    await data.remove();
  }
};

/** Each of the first calls of a kind, then one in so many. */
const placesIn = (count: number): readonly number[] => {
  const step = Math.max(1, Math.ceil((count - FIRST) / FIRST));
  return Array.from({ length: count }, (_, index) => index + 1).filter((n) => n <= FIRST || n % step === 0);
};

/** For good, after which nothing more is written, or once. */
const TIMES = [1, 1_000_000] as const;
const ERRORS = ['EIO', 'ENOSPC'] as const;

const faultsAt = (kind: CallKind, n: number): readonly NthFault[] => [
  ...ERRORS.flatMap((error) => TIMES.map((times) => ({ kind, n, error, times }))),
  ...(kind === 'write' ? [{ kind, n, error: 'SHORT' as const, times: 1 }] : []),
];

/** All faults of a run: of each kind of call, each error, once and from then on. */
export const nthCases = async (shim: DiskShim, template: string): Promise<readonly NthCase[]> => {
  const cases: NthCase[] = [];
  for (const isNew of [true, false])
    for (const [kind, count] of await countCalls(shim, isNew ? undefined : template))
      cases.push(...placesIn(count).flatMap((n) => faultsAt(kind, n).map((fault) => ({ ...fault, isNew }))));
  return cases;
};

export type NthOutcome = Readonly<{
  wasHit: boolean;
  hasEnded: boolean;
  /** A call of LMDB itself has failed while it opened an environment, and has ended the process by a signal (docs/running/trouble.md). No violation. */
  isEndedByLmdb: boolean;
  done: number;
  violations: readonly Violation[];
  lines: readonly string[];
}>;

/** Calls that LMDB makes while it opens an environment: of a store, or the one that is the lock of a directory. */
const OPENS = /^(open|truncate) \d+ \w+ \S*\/((data|lock)\.mdb|owner\.mdb(-lock)?)$/m;
const CREATES = /^write \d+ \w+ \S*\/(data|owner)\.mdb$/m;

/** LMDB frees a structure twice: by chance that is noticed at once, at the end of the process, or never. */
const FREED_TWICE: readonly string[] = ['SIGSEGV', 'SIGABRT'];

/** A server works over a disk that fails once or from some call on; then one starts on what it has left. */
export const failNthCall = async (shim: DiskShim, template: string, { isNew, ...fault }: NthCase): Promise<NthOutcome> => {
  const data = await temporaryData(isNew ? undefined : template);
  const said = join(data.path, '..', 'said');
  try {
    const server = launchNode(data.path, shim.failingNth(data.path, fault, said));
    const recorder = new Recorder();
    const url = await server.url.catch(() => undefined);
    if (url !== undefined && !isNew)
      await work(
        [addressAt(url)],
        recorder,
        randomFrom(fault.n),
        stepsOf(STEPS, () => server.hasEnded),
      );
    const hasEnded = server.hasEnded;
    const code = await server.signal('SIGTERM');
    const failed = await textIn(said);
    const isEndedByLmdb = FREED_TWICE.includes(server.endedBy ?? '') && (OPENS.test(failed) || (url === undefined && CREATES.test(failed)));
    const violations = [
      ...(isEndedByLmdb ? [] : flawsOfProcess(server.lines, code, server.endedBy)),
      ...(await flawsOfData(data.path, recorder.calls, { isPrepared: !isNew })),
    ];
    const done = recorder.calls.filter(({ answer }) => answer.outcome === 'done').length;
    return { wasHit: failed !== '', hasEnded, isEndedByLmdb, done, violations, lines: [failed, ...server.lines] };
  } finally {
    await rm(said, { force: true });
    await data.remove();
  }
};
