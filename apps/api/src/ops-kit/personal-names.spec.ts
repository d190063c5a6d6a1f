import { describe, expect, it } from '@jest/globals';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import type { Change } from '#projections/shared/read-store.js';
import { PersonalNames } from './personal-names.js';

const NOON = Date.UTC(2026, 2, 1, 12);

/** A store with one namespace, that of the sessions. */
const storeOfSessions = () => {
  const noted = new Map<string, Buffer>();
  let changes = 0n;
  return {
    view: () => ({ get: async (_: string, key: string) => noted.get(key) ?? null }),
    documents: () => ({ range: async () => [...noted].map(([key, value]) => ({ key, value })) }),
    served: async () => ({}),
    checkpoint: async () => changes,
    commit: async (_: object, made: readonly Change[]) => {
      changes += 1n;
      for (const change of made) {
        if (change.kind === 'put') noted.set(change.key, Buffer.from(change.value));
        else if (change.kind === 'delete') noted.delete(change.key);
      }
    },
  };
};

describe('reads of names of people', () => {
  let now = NOON;
  const store = storeOfSessions();
  const call = (id: string) => ({ request: { headers: {} }, context: { actor: { kind: 'key', id } } }) as never;
  const process = (record: () => Promise<bigint>) => new PersonalNames({ record }, store as never, () => now);
  let recorded = 0;
  const working = () =>
    process(async () => {
      recorded += 1;
      return 1n;
    });

  it('are recorded once for all processes, and again after an hour', async () => {
    const [one, other] = [working(), working()];
    for (const names of [one, one, other]) await names.record(call('ada'));
    expect(recorded).toBe(1);
    now += 3_600_000;
    await other.record(call('ada'));
    expect(recorded).toBe(2);
  });

  it('are recorded again after a clock that was ahead is set right', async () => {
    const one = working();
    now += 48 * 3_600_000;
    await one.record(call('eve'));
    now -= 48 * 3_600_000;
    const before = recorded;
    for (const names of [one, one, working()]) await names.record(call('eve'));
    expect(recorded).toBe(before + 1);
  });

  it('count as recorded only once their event is in the log', async () => {
    const before = recorded;
    await new Promise<void>((reached) => {
      const ended = process(() => {
        reached();
        return new Promise(() => undefined);
      });
      void ended.record(call('bob'));
    });
    const refused = process(async () => {
      throw new EventStoreUnavailable('away');
    });
    await expect(refused.record(call('bob'))).rejects.toThrow('away');
    await working().record(call('bob'));
    expect(recorded).toBe(before + 1);
  });
});
