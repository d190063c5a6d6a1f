import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call, Violation } from '#test/faults/history.js';
import type { Random } from '#test/faults/random.js';
import { pause, Recorder } from '#test/faults/workload/client.js';
import { consumers, work } from '#test/faults/workload/clients.js';
import { untilReady } from '#test/faults/workload/ending.js';
import { prepare } from '#test/faults/workload/setting.js';
import type { DiskShim } from '#test/support/event-stores/failing-disk.js';
import { addressAt, flawsOfData, launchNode, temporaryData } from './embedded-node.js';
import { type Change, readJournal } from './journal.js';
import { LossyDisk } from './lossy-disk.js';

/** Of a run that began on an empty directory. Times are of the clock of `performance`. */
type Recording = Readonly<{ disk: LossyDisk; changes: readonly Change[]; calls: readonly Call[]; from: number; to: number }>;

/** Clients at work for some seconds over a server that is killed in the end, or ends in order. */
export const record = async (shim: DiskShim, random: Random, seconds: number): Promise<Recording> => {
  const data = await temporaryData();
  const journal = `${data.path}.journal`;
  await mkdir(data.path);
  try {
    const disk = new LossyDisk(data.path);
    const server = launchNode(data.path, shim.recorded(data.path, journal));
    const address = addressAt(await server.url);
    await untilReady([address]);
    await prepare(address, consumers());
    const from = performance.now();
    const recorder = new Recorder();
    let isOver = false;
    const working = work([address], recorder, random.fork(), () => isOver);
    await pause(seconds * 1_000);
    isOver = true;
    const ended = random.chance(0.5) ? server.signal('SIGKILL') : working.then(() => server.signal('SIGTERM'));
    await Promise.all([working, ended]);
    const to = performance.now();
    const ahead = Number(process.hrtime.bigint()) / 1e6 - performance.now();
    const changes = readJournal(journal).map((change) => ({ ...change, milliseconds: change.milliseconds - ahead }));
    return { disk, changes, calls: recorder.calls, from, to };
  } finally {
    await data.remove();
  }
};

const LOST: Call['answer'] = { outcome: 'lost', status: 0, behind: false, retryAfter: false, told: {}, text: '' };

/** What clients knew at a time. */
const callsUntil = (calls: readonly Call[], time: number): readonly Call[] =>
  calls.flatMap((call) => {
    if (call.began > time) return [];
    return call.ended <= time ? [call] : [{ ...call, ended: Number.POSITIVE_INFINITY, answer: LOST }];
  });

export type LossOutcome = Readonly<{ at: number; kept: number; calls: number; violations: readonly Violation[] }>;

/**
 * Power is lost at some moments of a recording; a server starts on what is left each time.
 * @param onRound called after each; work goes on while it returns true
 */
export const losePowerOften = async (
  shim: DiskShim,
  { disk, changes, calls, from, to }: Recording,
  random: Random,
  times: number,
  onRound: (outcome: LossOutcome) => boolean,
): Promise<void> => {
  const moments = Array.from({ length: times }, () => from + random.fraction() * (to - from + 50)).sort((one, other) => one - other);
  let next = 0;
  for (const moment of moments) {
    for (; next < changes.length && (changes[next] as Change).milliseconds <= moment; next++) disk.apply(changes[next] as Change);
    const kept = moment === moments[0] ? 0 : random.pick([0, 0.5, 0.5, 0.9, 1]);
    const data = await temporaryData();
    try {
      disk.writeAfterLoss(data.path, random.fork(), kept);
      const boot = join(data.path, '..', 'boot');
      await writeFile(boot, `${crypto.randomUUID()}\n`);
      const known = callsUntil(calls, moment);
      const violations = await flawsOfData(data.path, known, { environment: shim.otherBoot(boot) });
      if (!onRound({ at: moment - from, kept, calls: known.length, violations })) return;
    } finally {
      await data.remove();
    }
  }
};
