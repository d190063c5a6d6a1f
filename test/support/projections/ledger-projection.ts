import { randomUUID } from 'node:crypto';
import type { NewEvent, RecordedEvent } from '#domain/shared/events.js';
import { WorkingSet } from '#infra/engine/projection-runner/steps/working-set.js';
import type { DecodeEvents } from '#infra/stores/event-codec/readable-events.js';
import { UnknownEventType } from '#infra/stores/event-codec/schemas.js';
import {
  byMember,
  firstPart,
  inMember,
  memberOf,
  orStream,
  type Partitioning,
  partitionOf,
  SHARED,
} from '#projections/shared/partitions.js';
import { type DocumentChange, type DocumentKey, type Projection, type ReadDocument, textCodec } from '#projections/shared/projection.js';
import type { ReadView } from '#projections/shared/read-store.js';
import { applyChange } from '#test/support/apply-change.js';
import { memoryView } from '#test/support/memory-view.js';
import { append, defineProjection, put, remove, removePrefix } from './define-projection.js';
import { fold } from './fold.js';
import { newTallyEvent } from './tally-projection.js';

/** Where an event fails for as long as it is not mended. */
export type Failing = 'decode' | 'reads' | 'apply' | 'encode' | 'type';

type Data<More> = Readonly<{ owner: string; failing?: Failing }> & Readonly<More>;

/**
 * A small domain with everything that partitions may have to do with each other: accounts of owners, names that pass from one to the other, clubs
 * that owners join and that end, an owner that goes on under another id, texts of lines, and sums that everybody adds to.
 */
export type LedgerEvent =
  | Readonly<{ type: 'Entered'; data: Data<{ by: number }> }>
  | Readonly<{ type: 'Closed'; data: Data<object> }>
  | Readonly<{ type: 'NameTaken'; data: Data<{ name: string }> }>
  | Readonly<{ type: 'Joined'; data: Data<{ club: string }> }>
  | Readonly<{ type: 'Renamed'; data: Data<{ newId: string }> }>
  | Readonly<{ type: 'ClubEnded'; data: Readonly<{ club: string; failing?: Failing }> }>;

type Account = Readonly<{ sum: number; entries: number; name: string | null; since: string; toobad?: true }>;

const NEW: Account = { sum: 0, entries: 0, name: null, since: '' };

const partitions: Partitioning = {
  ofEvent: orStream((event) => {
    const of = byMember(event, { owner: 'owner', club: 'club' });
    const renamed = partitionOf('owner', memberOf(event.data, 'newId'));
    return renamed === undefined ? of : [...of, renamed];
  }),
  owners: {
    accounts: firstPart('owner'),
    history: firstPart('owner'),
    lines: firstPart('owner'),
    names: inMember('owner', 'owner'),
    members: firstPart('club'),
    clubs: firstPart('club'),
    sums: SHARED,
  },
  contested: ['names', 'members'],
};

const account = (owner: string): DocumentKey => ({ collection: 'accounts', key: owner });

const linesOf = (owner: string): string => `${owner}/all`;

/** A line behind the others, which are folded into one when they are long. */
const line = (owner: string, by: number, read: ReadDocument): DocumentChange => {
  const key = linesOf(owner);
  const length = Number(read('lines', key, 'length') ?? 0);
  const more = `${length}:${by};`;
  return length < 60 ? append('lines', key, more) : put('lines', key, `${String(read('lines', key, 'lazy')).split(';').length};${more}`);
};

/** Something that no codec can write. */
const endless = (): object => {
  const self: { self?: object } = {};
  self.self = self;
  return self;
};

export const ledgerProjection = (isMended: () => boolean, options: Partial<Pick<Projection, 'version'>> = {}): Projection =>
  defineProjection<LedgerEvent>({
    name: 'test.ledger',
    version: 1,
    service: 'ops',
    categories: ['test.ledger'],
    handles: ['Entered', 'Closed', 'NameTaken', 'Joined', 'Renamed', 'ClubEnded'],
    partitions,
    codecs: { lines: textCodec },
    ...options,
    reads: (event) => {
      if (event.data.failing === 'reads' && !isMended()) throw new Error('reads fail');
      if (event.type === 'ClubEnded') return [];
      const own = [account(event.data.owner)];
      if (event.type !== 'Entered') return own;
      const lines = { collection: 'lines', key: linesOf(event.data.owner) };
      return [...own, { collection: 'sums', key: `${event.data.by % 3}` }, { ...lines, form: 'length' }, { ...lines, form: 'lazy' }];
    },
    apply: (event, read) => {
      const { failing } = event.data;
      if (failing === 'apply' && !isMended()) throw new Error('apply fails');
      const broken = failing === 'encode' && !isMended() ? { toobad: endless() } : {};
      if (event.type === 'ClubEnded')
        return [removePrefix('members', `${event.data.club}/`), put('clubs', event.data.club, { ended: `${event.position}`, ...broken })];
      const { owner } = event.data;
      const before = (read('accounts', owner) as Account | undefined) ?? { ...NEW, since: `${event.position}` };
      switch (event.type) {
        case 'Entered': {
          const sums = `${event.data.by % 3}`;
          const after = { ...before, ...broken, sum: (before.sum * 3 + event.data.by) % 1_000_003, entries: before.entries + 1 };
          return [
            put('accounts', owner, after),
            put('history', `${owner}/${String(after.entries).padStart(4, '0')}`, after.sum),
            put('sums', sums, Number(read('sums', sums) ?? 0) + event.data.by),
            line(owner, event.data.by, read),
          ];
        }
        case 'Closed': {
          const left: DocumentChange[] = before.name === null ? [] : [remove('names', before.name)];
          return [
            remove('accounts', owner),
            removePrefix('history', `${owner}/`),
            removePrefix('lines', `${owner}/`),
            ...left,
            ...(failing === 'encode' ? [put('accounts', owner, { ...NEW, ...broken })] : []),
          ];
        }
        case 'NameTaken': {
          const left: DocumentChange[] = before.name === null ? [] : [remove('names', before.name)];
          return [
            ...left,
            put('names', event.data.name, { owner }),
            put('accounts', owner, { ...before, ...broken, name: event.data.name }),
          ];
        }
        case 'Joined':
          return [put('members', `${event.data.club}/${owner}`, { owner }), put('accounts', owner, { ...before, ...broken })];
        case 'Renamed': {
          const { newId } = event.data;
          const named: DocumentChange[] = before.name === null ? [] : [put('names', before.name, { owner: newId })];
          return [remove('accounts', owner), put('accounts', newId, { ...before, ...broken }), ...named];
        }
      }
    },
  });

/** As the codec of the whole system does; the type of an event that fails by its type is known once it is mended. */
export const decodeLedger =
  (isMended: () => boolean): DecodeEvents =>
  (events: readonly RecordedEvent[]) => {
    for (const { data, type } of events) {
      if (data.failing === 'type' && !isMended()) throw new UnknownEventType('test.ledger', type);
      if (data.failing === 'decode' && !isMended()) throw new Error('decode fails');
    }
    return events;
  };

export const newLedgerEvent = ({ type, data }: LedgerEvent): NewEvent => ({
  ...newTallyEvent({ type: 'Noted', data: { text: '' } }),
  id: randomUUID(),
  type,
  data: { ...data },
});

export const LEDGER_COLLECTIONS = ['accounts', 'history', 'lines', 'names', 'members', 'clubs', 'sums'] as const;

/** `collection/key` → text. */
export type Texts = Readonly<Record<string, string>>;

export const textsIn = async (view: ReadView, collections: readonly string[] = LEDGER_COLLECTIONS): Promise<Texts> => {
  const found = await Promise.all(
    collections.map(async (collection) =>
      (await view.range(collection, {})).map(({ key, value }): [string, string] => [`${collection}/${key}`, value.toString()]),
    ),
  );
  return Object.fromEntries(found.flat());
};

/** The documents after these events, applied one by one, without anything that fails. */
export const ledgerAfter = async (events: readonly RecordedEvent[]): Promise<Texts> => {
  const mended = () => true;
  const projection = ledgerProjection(mended);
  const documents: Record<string, Record<string, string>> = Object.fromEntries(LEDGER_COLLECTIONS.map((name) => [name, {}]));
  for (const event of events) {
    const set = new WorkingSet(projection);
    const failure = await fold(projection, decodeLedger(mended), memoryView(documents), set, [event]);
    if (failure) throw failure;
    for (const change of set.changes()) {
      const texts = new Map(Object.entries(documents[change.collection] ?? {}));
      applyChange(texts, change);
      documents[change.collection] = Object.fromEntries(texts);
    }
  }
  return textsIn(memoryView(documents));
};
