import type { Call, PastLook } from '#test/faults/history.js';
import { look } from './accounting.js';
import { type Address, pause } from './client.js';
import { send } from './http.js';
import { DEADLINE_MS, NeverCame } from './setting.js';

/** Records that are looked up as of the past: so many, spread over the run. */
const LOOKS = 40;
/** Those of accounting that can be looked up by themselves. */
const SCOPES: readonly string[] = ['units', 'definitions', 'installations', 'providers'];

/** A write that was answered at once, so that the position it was told is that of its last event. */
type Certain = Call & Readonly<{ position: bigint }>;

const certainWrites = (calls: readonly Call[]): readonly Certain[] => {
  const asked = new Map<string, number>();
  for (const { intent } of calls) asked.set(intent, (asked.get(intent) ?? 0) + 1);
  return calls.flatMap((call) => {
    const { outcome, position } = call.answer;
    return outcome === 'done' && position !== undefined && asked.get(call.intent) === 1 ? [{ ...call, position }] : [];
  });
};

const spread = <Item>(items: readonly Item[]): readonly Item[] => {
  const step = Math.max(1, items.length / LOOKS);
  return Array.from({ length: Math.min(LOOKS, items.length) }, (_, index) => items[Math.floor(index * step)] as Item);
};

/** The position of a write that was over before this one began: its events are in the log before those of this one. */
const positionBefore = ({ began }: Certain, writes: readonly Certain[]): bigint =>
  writes.reduce((last, { ended, position }) => (ended < began && position > last ? position : last), 0n);

/**
 * Asks a node with history for records as of the write that made them, as of another write before that, and as of the log time of the first, unless
 * a clock was ahead so far that it is still to come. @throws NeverCame
 */
export const pastLooks = async (historian: Address, calls: readonly Call[]): Promise<readonly PastLook[]> => {
  const writes = certainWrites(calls);
  const made = writes.filter(({ operation }) => operation.kind === 'create' && SCOPES.includes(operation.scope));
  const looks: PastLook[] = [];
  for (const creation of spread(made)) {
    const then = await lookAsOf(historian, creation, creation.position);
    looks.push(then, await lookAsOf(historian, creation, positionBefore(creation, writes)));
    if (Date.parse(then.time) < Date.now()) looks.push(await lookAsOf(historian, creation, then.time));
  }
  return looks;
};

const lookAsOf = async ({ node, port }: Address, { id, answer }: Call, asOf: bigint | string): Promise<PastLook> => {
  const { request } = look(answer.told.record ?? '');
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const found = await send(port, { ...request, headers: { ...request.headers, 'logbook-as-of': `${asOf}` } });
    const status = found?.status ?? 0;
    if (found && (status === 200 || status === 404)) {
      const { 'logbook-as-of': position, 'logbook-as-of-time': time } = found.headers;
      return { call: id, asOf, isThere: status === 200, position: BigInt(`${position ?? 0}`), time: `${time ?? ''}` };
    }
    if (performance.now() > deadline) throw new NeverCame(`${node}: ${request.path} as of ${asOf} still answers ${status} ${found?.text}`);
    await pause(100);
  }
};
