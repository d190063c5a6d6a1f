import { encoded, get } from './client.js';
import type { ItemOf } from './types.js';

export type RecordName = ItemOf<'/ops/names'>;
export type NamedKind = RecordName['kind'];
export type NamedRecord = Pick<RecordName, 'kind' | 'id'>;

/** Records of one call, and characters of its query: proxies take request lines of 8 KiB. */
const MOST = 100;
const MOST_CHARACTERS = 4_000;
/** Characters of a record that the server looks up. */
const LONGEST = 400;
/** A name is asked for again after this time; one that could not be found out, the sooner. */
const KEPT_MS = 60_000;
const FAILED_MS = 5_000;

/** `name` is absent where the call failed. */
type Entry = Readonly<{ name?: RecordName; until: number }>;

/** `known`: another map once names are forgotten, so that what was asked for before comes too late. */
const names = { known: new Map<string, Entry>() };
const wanted = new Set<string>();
const listeners = new Set<() => void>();

const keyOf = ({ kind, id }: NamedRecord): string => `${kind}:${id}`;

const tell = (): void => {
  for (const listener of listeners) listener();
};

const ask = async (records: readonly string[]): Promise<void> => {
  const into = names.known;
  try {
    const { items } = await get<{ items: readonly RecordName[] }>('/ops/names', { record: records }, { once: true });
    const until = Date.now() + KEPT_MS;
    for (const record of records) into.set(record, { until }); // the server answers half of a surrogate pair as U+FFFD
    for (const item of items) into.set(keyOf(item), { name: item, until });
  } catch {
    // The page shows ids in place of names until those who want them ask again.
    for (const record of records) into.set(record, { ...into.get(record), until: Date.now() + FAILED_MS });
    setTimeout(tell, FAILED_MS + 1);
  }
};

/** Whether the server looks up a record: others have no name. */
const isLookedUp = (record: string): boolean => [...record].length <= LONGEST;

/** Records in batches of one call each. */
export const batchesOf = (records: readonly string[]): readonly (readonly string[])[] => {
  const batches: string[][] = [];
  let characters = 0;
  for (const record of records) {
    characters += `&record=${encoded(record)}`.length;
    const batch = batches.at(-1);
    if (batch && batch.length < MOST && characters <= MOST_CHARACTERS) batch.push(record);
    else {
      batches.push([record]);
      characters = encoded(record).length;
    }
  }
  return batches;
};

/** Everything that the page has asked for in this turn, in as few calls as possible. */
const askForWanted = async (): Promise<void> => {
  const records = [...wanted];
  wanted.clear();
  for (const record of records) if (!isLookedUp(record)) names.known.set(record, { until: Date.now() + KEPT_MS });
  for (const batch of batchesOf(records.filter(isLookedUp))) await ask(batch);
  tell();
};

/** Asks for names that are not known; {@link onNames} says when they are. */
export const wantNames = (records: readonly NamedRecord[]): void => {
  const before = wanted.size;
  for (const record of records) if ((names.known.get(keyOf(record))?.until ?? 0) <= Date.now()) wanted.add(keyOf(record));
  if (before === 0 && wanted.size > 0) setTimeout(() => void askForWanted());
};

/** `undefined`: not known yet; without `name`: it could not be found out. */
export const nameKnown = (record: NamedRecord): Readonly<{ name?: RecordName }> | undefined => names.known.get(keyOf(record));

/** Calls the listener whenever names have come, or are to be asked for again, until the returned function is called. */
export const onNames = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Somebody else may be shown other names: those who show some ask again. */
export const forgetNames = (): void => {
  names.known = new Map();
  tell();
};

/** Current name of a record, by its id alone. @throws ApiError */
export const nameOf = async (record: NamedRecord): Promise<RecordName> => {
  const { items } = await get<{ items: readonly [RecordName] }>('/ops/names', { record: [keyOf(record)] });
  return items[0];
};

/** Records of a kind with a text in their name, or with this id. @throws ApiError */
export const suggestNames = async (kind: NamedKind, text: string, signal?: AbortSignal): Promise<readonly RecordName[]> => {
  const { items } = await get<{ items: readonly RecordName[] }>(`/ops/names/${kind}`, { text }, { signal });
  return items;
};
