import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeyRange, StoredDocument } from '#projections/shared/read-store.js';
import { HistoryFiles } from './files.js';
import { PastView } from './past-view.js';
import type { ProjectionRow } from './projection-row.js';
import { type HistoryChange, VersionWriter } from './version-writer.js';

/** Numbers that follow from a seed. */
const randomOf = (seed: number) => {
  let state = seed;
  return (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
};

const ROW: ProjectionRow = { build: 1, version: 1, position: 0, from: 0, documents: 0, failure: null, setAside: false };
const COLLECTIONS = ['a', 'ab', 'b'];

type State = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The documents after the changes of one position, the plain way. */
const after = (state: State, changes: readonly HistoryChange[]): State => {
  const next = new Map([...state].map(([name, documents]) => [name, new Map(documents)]));
  for (const change of changes) {
    const documents = next.get(change.collection) ?? new Map<string, string>();
    next.set(change.collection, documents);
    if (change.kind === 'put') documents.set(change.key, change.text.toString());
    else if (change.kind === 'delete') documents.delete(change.key);
    else for (const key of [...documents.keys()]) if (key.startsWith(change.prefix)) documents.delete(key);
  }
  return next;
};

const bytewise = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

const naiveRange = (state: State, collection: string, range: KeyRange): readonly StoredDocument[] => {
  const { gte, gt, lte, lt, reverse, offset = 0, limit = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = range;
  const keys = [...(state.get(collection) ?? new Map<string, string>())]
    .filter(
      ([key]) =>
        (gte === undefined || bytewise(key, gte) >= 0) &&
        (gt === undefined || bytewise(key, gt) > 0) &&
        (lte === undefined || bytewise(key, lte) <= 0) &&
        (lt === undefined || bytewise(key, lt) < 0),
    )
    .sort(([one], [other]) => bytewise(one, other) * (reverse ? -1 : 1))
    .slice(offset);
  const found: StoredDocument[] = [];
  let bytes = 0;
  for (const [key, text] of keys) {
    if (found.length >= limit || bytes >= maxBytes) break;
    found.push({ key, value: Buffer.from(text) });
    bytes += Buffer.byteLength(text);
  }
  return found;
};

const texts = (documents: readonly StoredDocument[]) => documents.map(({ key, value }) => [key, value.toString()]);

describe('a view of the past', () => {
  let directory: string;
  let files: HistoryFiles;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'logbook-history-'));
    files = HistoryFiles.open({ path: join(directory, 'history') });
  });
  afterEach(async () => {
    await files.close();
    await rm(directory, { recursive: true });
  });

  const viewAt = (position: number) => new PastView(files, () => 1, position);

  /** Changes of one position: removals of prefixes first, each key once. */
  const randomChanges = (random: (most: number) => number, position: number): readonly HistoryChange[] => {
    const keys = new Map<string, HistoryChange>();
    const removals: HistoryChange[] = [];
    for (let count = 1 + random(6); count > 0; count--) {
      const collection = COLLECTIONS[random(COLLECTIONS.length)] ?? 'a';
      const prefix = `${'pqrs€'[random(5)]}/`;
      const key = `${prefix}${random(400)}`;
      const what = random(40);
      if (what === 0) removals.push({ kind: 'delete-prefix', collection, prefix, position });
      else if (what < 8) keys.set(collection + key, { kind: 'delete', collection, key, position });
      else {
        const text = Buffer.from(`{"at":${position},"text":"${'same text '.repeat(random(8))}${random(1000)}"}`);
        keys.set(collection + key, { kind: 'put', collection, key, text, position });
      }
    }
    return [...removals, ...keys.values()];
  };

  const randomRange = (random: (most: number) => number): KeyRange => {
    const bound = () => `${'pqrs€'[random(5)]}/${random(400)}`;
    return {
      ...[{}, { gte: bound() }, { gt: bound() }][random(3)],
      ...[{}, { lte: bound() }, { lt: bound() }][random(3)],
      ...(random(2) && { reverse: true }),
      ...(random(3) === 0 && { offset: random(5) }),
      ...(random(3) === 0 && { limit: random(10) }),
      ...(random(4) === 0 && { maxBytes: 1 + random(500) }),
    };
  };

  it('shows at every position what the changes up to there have made', async () => {
    const random = randomOf(11);
    const writer = new VersionWriter(files);
    const states: State[] = [new Map()];
    let row = ROW;
    let waiting: HistoryChange[] = [];
    for (let position = 1; position <= 1_500; position++) {
      // Now and then whole stretches are quiet, reborn or written again and again.
      const changes = position % 400 < 380 ? randomChanges(random, position) : [];
      waiting.push(...changes);
      states.push(changes.length > 0 ? after(states.at(-1) ?? new Map(), changes) : (states.at(-1) ?? new Map()));
      if (random(30) > 0 && position < 1_500) continue;
      const batch = waiting;
      row = await files.write(() => writer.write('test', { ...row, position }, batch));
      waiting = [];
    }
    for (let look = 0; look < 500; look++) {
      const position = random(10) === 0 ? ([0, 1, 1_500, 5_000][random(4)] ?? 0) : random(1_501);
      const state = states[Math.min(position, 1_500)] ?? new Map();
      const view = viewAt(position);
      const collection = COLLECTIONS[random(COLLECTIONS.length)] ?? 'a';
      const range = randomRange(random);
      expect(texts(await view.range(collection, range))).toEqual(texts(naiveRange(state, collection, range)));
      const { offset: _, limit: __, maxBytes: ___, ...bounds } = range;
      expect(await view.count(collection, range)).toBe(naiveRange(state, collection, bounds).length);
      const keys = Array.from({ length: 4 }, () => `${'pqrs€'[random(5)]}/${random(400)}`);
      const expected = keys.map((key) => state.get(collection)?.get(key) ?? null);
      expect((await view.getMany(collection, keys)).map((text) => text?.toString() ?? null)).toEqual(expected);
      expect((await view.get(collection, keys[0] ?? ''))?.toString() ?? null).toBe(expected[0]);
    }
  });

  it('passes over what was born later, in both directions', async () => {
    const writer = new VersionWriter(files);
    const key = (index: number) => `k/${String(index).padStart(6, '0')}`;
    const changes = Array.from({ length: 20_000 }, (_, index): HistoryChange => {
      const place = index % 2 === 0 ? index : 20_000 - index;
      return { kind: 'put', collection: 'a', key: key(place), text: Buffer.from(`${index}`), position: index + 1 };
    });
    await files.write(() => writer.write('test', ROW, changes));
    const early = viewAt(4);
    const expected = [0, 19_999, 2, 19_997].map(key).sort();
    expect((await early.range('a', {})).map((one) => one.key)).toEqual(expected);
    expect((await early.range('a', { reverse: true })).map((one) => one.key)).toEqual(expected.toReversed());
    expect(await early.count('a', {})).toBe(4);
    expect(await viewAt(20_000).count('a', { gte: key(100), lt: key(19_000) })).toBe(18_900);
  });

  it('reads a version of a document as soon with many versions as with few', async () => {
    const writer = new VersionWriter(files);
    const text = (version: number) => Buffer.from(JSON.stringify({ version, more: 'x'.repeat(500) }));
    const changes = Array.from({ length: 2_000 }, (_, index): HistoryChange => {
      return { kind: 'put', collection: 'a', key: 'k', text: text(index), position: index + 1 };
    });
    await files.write(() => writer.write('test', ROW, changes));
    for (const position of [1, 2, 33, 34, 1_000, 1_999, 2_000]) expect(await viewAt(position).get('a', 'k')).toEqual(text(position - 1));
  });
});
