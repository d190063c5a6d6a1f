import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextEventId } from '#domain/shared/event-ids.js';
import type { NewEvent } from '#domain/shared/events.js';
import type { History } from '#projections/shared/past.js';
import type { KeyRange } from '#projections/shared/read-store.js';
import { byBytes, ModelCollection } from '#test/contracts/read-store/model.js';
import { rangesOver } from '#test/contracts/read-store/ranges.js';
import { type HistoryLab, type OpenedHistory, openHistoryLab } from '#test/support/as-of/open-history.js';
import {
  COUNTS,
  newShelfEvent,
  SHELF,
  SHELF_COLLECTIONS,
  type ShelfEvent,
  ShelfState,
  shelfEvents,
  shelfProjection,
} from '#test/support/projections/shelf.js';
import { newTallyEvent, tallyProjection } from '#test/support/projections/tally-projection.js';
import { runs, SEED } from '#test/support/test-runs.js';

/** What happens between two looks at the past. */
type Phase = Readonly<{
  /** Appended one after the other, each at once. Of `null` nothing follows for the projection. */
  batches: readonly (readonly (ShelfEvent | null)[])[];
  /** Whether the events of a batch are those of one command. */
  isOneCommand: boolean;
  /** Whether the past is recorded while they are appended, or behind them. */
  isRecorded: boolean;
  then: 'nothing' | 'closed' | 'killed' | 'lost' | 'new version' | 'mended version';
  /** Where the past is read, as parts of a thousand of the log. */
  looks: readonly number[];
}>;

const batch = fc.array(fc.oneof({ weight: 8, arbitrary: shelfEvents }, { weight: 1, arbitrary: fc.constant(null) }), {
  minLength: 1,
  maxLength: 12,
});
const phase: fc.Arbitrary<Phase> = fc.record({
  batches: fc.array(batch, { minLength: 1, maxLength: 4 }),
  isOneCommand: fc.boolean(),
  isRecorded: fc.boolean(),
  then: fc.constantFrom('nothing', 'nothing', 'closed', 'killed', 'killed', 'lost', 'new version', 'mended version'),
  looks: fc.array(fc.nat(1_000), { minLength: 6, maxLength: 6 }),
});

const bound = fc.constantFrom('ann', 'ann/', 'ann/a', 'ann/aa', 'bob/', 'bob/b', 'bob0', 'cy/é', 'd');
const ranges = rangesOver(bound, { offset: 5, limit: 6, bytes: 100 }, { minLength: 4, maxLength: 6 });

/** The log, what the documents were after each of its events, and what a history shows of that. */
class Past {
  private readonly log: (readonly [position: bigint, event: ShelfEvent | null])[] = [];
  /** Numbers of events in the log after which nothing of the same command follows: there is nothing to be seen in between. */
  private readonly ends: number[] = [0];
  private states: readonly ShelfState[] = [];
  private opened: OpenedHistory | undefined;
  private version = 1;
  private isMended = false;

  constructor(
    private readonly lab: HistoryLab,
    private readonly ranges: readonly KeyRange[],
  ) {}

  async pass({ batches, isOneCommand, isRecorded, then, looks }: Phase): Promise<void> {
    if (isRecorded) await this.open();
    for (const one of batches) await this.append(one, isOneCommand);
    await this.look(looks);
    await this.do(then);
    await this.look(looks);
    await this.close();
  }

  async close(): Promise<void> {
    await this.opened?.close();
    this.opened = undefined;
  }

  private async open(): Promise<History> {
    this.opened ??= await this.lab.open([shelfProjection(this.version, this.isMended), tallyProjection({ name: 'test.other' })]);
    return this.opened.history;
  }

  private async append(events: readonly (ShelfEvent | null)[], isOneCommand: boolean): Promise<void> {
    // Events without a meaning for the projection are in a stream of another category, so they divide what is appended at once.
    for (let rest = events; rest.length > 0; ) {
      const isOther = rest[0] === null;
      const end = rest.findIndex((event) => (event === null) !== isOther);
      const some = end < 0 ? rest : rest.slice(0, end);
      const stored = some.map((event): NewEvent => (event ? newShelfEvent(event) : newTallyEvent({ type: 'Noted', data: { text: '' } })));
      for (let index = 1; isOneCommand && index < stored.length; index++)
        stored[index] = { ...(stored[index] as NewEvent), id: nextEventId(stored[index - 1]?.id ?? '') };
      const { position } = await this.lab.events.append(isOther ? 'test.notes-1' : `${SHELF}-1`, stored, 'any');
      for (const [index, event] of some.entries()) {
        this.log.push([position - BigInt(some.length - 1 - index), event]);
        if (!isOneCommand || index === some.length - 1) this.ends.push(this.log.length);
      }
      rest = end < 0 ? [] : rest.slice(end);
    }
    this.apply();
  }

  /** What the documents were after each event, by the version of now. */
  private apply(): void {
    const states = [ShelfState.EMPTY];
    for (const [, event] of this.log) {
      const last = states.at(-1) ?? ShelfState.EMPTY;
      states.push(event ? last.after(event, this.isMended) : last);
    }
    this.states = states;
  }

  private async do(then: Phase['then']): Promise<void> {
    if (then === 'nothing') return;
    if (then === 'killed') {
      await this.opened?.kill();
      this.opened = undefined;
    }
    await this.close();
    if (then === 'lost') await this.lab.lose();
    if (then === 'new version' || then === 'mended version') this.version += 1;
    if (then === 'mended version') this.isMended = true;
    this.apply();
  }

  private async look(places: readonly number[]): Promise<void> {
    const history = await this.open();
    const [head = 0n] = this.log.at(-1) ?? [];
    expect([head, await history.reach(head, 20_000, SHELF)]).toEqual([head, 'reached']);
    expect(await history.reach(head, 20_000)).toBe('reached');
    for (const place of [...places, 1_000]) {
      const index = this.ends[Math.round((place / 1_000) * (this.ends.length - 1))] ?? 0;
      await this.lookAt(history, index === 0 ? 0n : (this.log[index - 1]?.[0] ?? 0n), this.states[index] ?? ShelfState.EMPTY);
    }
    await this.lookAt(history, head + 1_000n, this.states.at(-1) ?? ShelfState.EMPTY);
  }

  private async lookAt(history: History, position: bigint, state: ShelfState): Promise<void> {
    const view = history.view(SHELF, position);
    const isHead = position >= (this.log.at(-1)?.[0] ?? 0n);
    const { setAside } = state;
    /**
     * What is set aside is refused, though perhaps not yet in the middle of what was recorded at once. Reads of several owners may be refused if one is.
     */
    const same = async (owner: string | 'several', expected: unknown, read: () => Promise<unknown>): Promise<void> => {
      const found = await read().catch((error: Error) => error.name);
      const isAside = setAside.has(owner);
      const isRefused = found === 'PartitionSetAside' && (isAside || (owner === 'several' && setAside.size > 0));
      if (isRefused || (isAside && isHead)) expect([owner, position, found]).toEqual([owner, position, 'PartitionSetAside']);
      else expect([owner, position, found]).toEqual([owner, position, expected]);
    };
    const counts = state.collection(COUNTS.collection).get(COUNTS.key) ?? null;
    await same('several', counts, async () => (await view.get(COUNTS.collection, COUNTS.key))?.toString() ?? null);
    for (const name of SHELF_COLLECTIONS) {
      const texts = state.collection(name);
      const model = new ModelCollection();
      for (const [key, value] of texts) model.apply({ kind: 'put', collection: name, key, value });
      for (const owner of ['ann', 'bob', 'cy']) {
        const keys = [...texts.keys(), `${owner}/a`, `${owner}/never`].filter((key) => key.startsWith(`${owner}/`)).sort(byBytes);
        const expected = keys.map((key) => texts.get(key) ?? null);
        await same(owner, expected, async () => (await view.getMany(name, keys)).map((text) => text?.toString() ?? null));
        await same(owner, expected.at(-1), async () => (await view.get(name, keys.at(-1) ?? ''))?.toString() ?? null);
        const own = [
          { gte: `${owner}/`, lt: `${owner}0` },
          { gt: `${owner}/`, lt: `${owner}0`, reverse: true, limit: 2 },
        ];
        const plain = async (asked: readonly KeyRange[]) =>
          (await view.ranges(name, asked)).map((documents) => documents.map(({ key, value }) => [key, value.toString()]));
        await same(
          owner,
          own.map((range) => model.range(range)),
          () => plain(own),
        );
        await same(owner, model.within(own[0] ?? {}).length, () => view.count(name, own[0] ?? {}));
      }
      for (const range of [{}, { reverse: true }, ...this.ranges]) {
        const found = async () => (await view.range(name, range)).map(({ key, value }) => [key, value.toString()]);
        await same('several', model.range(range), found);
        await same('several', model.within(range).length, () => view.count(name, range));
      }
    }
  }
}

it('the past is what a simple model says, wherever it is read and whatever became of what was recorded', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(phase, { minLength: 1, maxLength: 5 }), ranges, async (phases, asked) => {
      const lab = await openHistoryLab();
      const past = new Past(lab, asked);
      try {
        for (const one of phases) await past.pass(one);
      } finally {
        await past.close();
        await lab.dispose();
      }
    }),
    // To make a failure smaller takes long.
    { numRuns: runs(10, 2), seed: SEED, interruptAfterTimeLimit: 150_000 },
  );
});
