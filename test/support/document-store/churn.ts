import type { Change, StoredDocument } from '#projections/shared/read-store.js';
import { applyChange } from '#test/support/apply-change.js';

/** A projection that keeps its past, and one that does not. */
export const PAST = 'past';
export const PLAIN = 'plain';

const KEYS = 60;

/** The changes of a commit by its number. */
export const changesOf = (number: number): readonly Change[] => {
  const position = BigInt(number);
  const changes = Array.from({ length: 6 }, (_, index): Change => {
    const key = `document ${(number * 7_919 + index * 104_729) % KEYS}`;
    if ((number + index) % 5 === 0) return { kind: 'delete', collection: 'documents', key, position };
    // Long ones become deltas.
    const items = Array.from({ length: (number * 37 + index * 1_013) % 90 }, (_item, at) => ({ name: `item ${at} of ${key}`, at }));
    return { kind: 'put', collection: 'documents', key, value: JSON.stringify({ number, items, index }), position };
  });
  const pieces = [0, 1].map((index): Change => {
    const key = `text ${(number * 13 + index * 5) % 9}`;
    if (number % 40 === 0) return { kind: 'delete', collection: 'documents', key, position };
    return { kind: 'append', collection: 'documents', key, piece: `${number}/${index};`.repeat(number % 30), position };
  });
  return [...changes, ...pieces, { kind: 'put', collection: 'documents', key: 'last', value: `${number}`, position }];
};

const states: ReadonlyMap<string, string>[] = [new Map()];

/** The documents after the commits up to a number, by key. */
const documentsAfter = (number: number): ReadonlyMap<string, string> => {
  while (states.length <= number) {
    const state = new Map(states.at(-1));
    for (const change of changesOf(states.length)) applyChange(state, change);
    states.push(state);
  }
  return states[number] ?? new Map();
};

/** How documents that were read differ from those after the commits up to a number; `undefined`: not at all. */
export const differenceIn = (documents: readonly StoredDocument[], number: number): string | undefined => {
  const expected = documentsAfter(number);
  const other = documents.find(({ key, value }) => expected.get(key) !== value.toString());
  if (other) return `${other.key} is ${other.value.toString().slice(0, 60)} at ${number}`;
  return documents.length === expected.size ? undefined : `${documents.length} documents for ${expected.size} at ${number}`;
};

/** The number of the commit that documents were read after. */
export const numberIn = (documents: readonly StoredDocument[]): number =>
  Number(documents.find(({ key }) => key === 'last')?.value.toString() ?? 0);
