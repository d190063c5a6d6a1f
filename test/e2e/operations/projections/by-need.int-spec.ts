import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { NEEDED, projections } from '#api/runtime/vocabulary.js';
import { type Answered, type DocumentedWorld, openDocumentedServer } from '#test/attack/documented-world.js';
import { openPastLab, type PastLab } from '#test/support/as-of/past-lab.js';
import { Cleanup } from '#test/support/cleanup.js';
import type { DescribedCall } from '#test/support/documents/described-calls.js';
import { eventually } from '#test/support/eventually.js';
import { type HeldBack, heldBack } from '#test/support/projections/held-back.js';
import { expectAllInStreams } from '#test/support/projections/streams-of-needed.js';

const CONTRACT = join(resolve(import.meta.dirname, '../../../..'), 'docs/contracts/operations-filling.md');

/** The table of the contract: calls by the read model without which they are answered 503. */
const exceptionsInContract = (): readonly (readonly [call: string, readModel: string])[] => {
  const rows = readFileSync(CONTRACT, 'utf8').matchAll(/^\| `((?:POST|PUT|PATCH|DELETE) [^`]+)` \| `([^`]+)` \|$/gm);
  return [...rows].map(([, call = '', readModel = '']) => [call, readModel] as const).sort();
};

/** They wait for the chain, which this server does not have, and read no documents. */
const OF_CHAIN = ['/ops/signing-keys', '/audit/anchors'];

const isWrite = ({ method, template }: DescribedCall): boolean =>
  ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) && !template.endsWith('/search') && !OF_CHAIN.includes(template);

/** Commands that are done with what the examples name; all others are refused for the same reason with and without the other read models. */
const DONE_AT_LEAST = 100;
/** Only ends what hangs. */
const LONGEST_RUN_MS = 600_000;

let cleanup: Cleanup;
let lab: PastLab;
let server: DocumentedWorld;
let held: HeldBack;

beforeAll(async () => {
  cleanup = new Cleanup();
  server = await openDocumentedServer(cleanup, async (deployment, environment) => {
    lab = await openPastLab(deployment, { LOGBOOK_HISTORY: 'off', ...environment });
    return { url: lab.url, stop: () => lab.close() };
  });
  held = heldBack(
    lab.runtime.readModels,
    projections.flatMap(({ name }) => (NEEDED.has(name) ? [] : [name])),
  );
});
afterAll(() => cleanup?.run());

/** Calls with nothing held back, once everything that was written is shown. */
const free = async <T>(call: () => Promise<T>): Promise<T> => {
  held.letGo();
  await eventually(() => lab.runtime.readModels.isOwing()).until((isOwing) => !isOwing);
  try {
    return await call();
  } finally {
    held.hold();
  }
};

const isDone = ({ status }: Answered): boolean => status >= 200 && status < 300;
const readModelIn = ({ text }: Answered): string => /the read model ([\w.-]+) is not there yet/.exec(text)?.[1] ?? text;

/** Findings so far. `unproven`: names of calls that were not done yet. */
const exceptions = new Map<string, string>();
const different: unknown[] = [];
const unproven = new Set<string>();

const attempt = async (call: DescribedCall): Promise<boolean> => {
  const name = `${call.method} ${call.template}`;
  const answer = await server.make(call);
  const again = isDone(answer) ? answer : await free(() => server.make(call));
  if (answer.status === 503 && again.status !== 503) exceptions.set(name, readModelIn(answer));
  else if (answer.status !== again.status) different.push([name, answer, again]);
  if (isDone(again)) unproven.delete(name);
  else unproven.add(name);
  return isDone(again);
};

/** Makes the calls, and again those that were refused because what they refer to was not there yet, as long as there are fewer of them. */
const makeAll = async (calls: readonly DescribedCall[]): Promise<void> => {
  const left: DescribedCall[] = [];
  for (const call of calls) if (!(await attempt(call))) left.push(call);
  if (left.length < calls.length) await makeAll(left);
};

it(
  'every command works while all read models are held back but the needed ones, except for those that the contract names',
  async () => {
    const calls = server.calls.filter(isWrite);
    held.hold();
    await makeAll(calls.filter(({ method }) => method !== 'DELETE'));
    const removing = calls.filter(({ method }) => method === 'DELETE');
    for (const call of removing.sort((one, other) => other.template.length - one.template.length)) await attempt(call); // the inner ones first
    held.letGo();
    expect(different).toEqual([]);
    expect([...exceptions].sort()).toEqual(exceptionsInContract());
    expect(calls.length - unproven.size).toBeGreaterThan(DONE_AT_LEAST);
  },
  LONGEST_RUN_MS,
);

it('all events of the needed read models are in their streams', () => expectAllInStreams(lab.runtime.eventStore));
