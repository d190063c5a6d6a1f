import { NO_MATCH, nameRank } from '#domain/operations/name-rank.js';
import type { NamedEntry } from './named-records.js';
import { lookedThrough, type Pages, paged } from './pages.js';

/** Matches that are worse than those of names: the beginning of an id, and all words somewhere. */
const BY_ID = NO_MATCH;
export const BY_WORDS = BY_ID + 1;
const NONE = BY_WORDS + 1;

/** Match of a text: an id is best. */
export const rankOf = (label: string, id: string, text: string): number => {
  if (id === text) return -1;
  const rank = nameRank(label, text);
  if (rank < NO_MATCH) return rank;
  return text.length >= 4 && id.toLowerCase().startsWith(text.toLowerCase()) ? BY_ID : NONE;
};

/** Whether it is a match. */
export const isMatch = (rank: number): boolean => rank < NONE;

export type Ranked<Item> = Readonly<{ item: Item; rank: number }>;

/** Items that match, those of the pages up to a bound ({@link lookedThrough}). */
export const matching = async <Item>(
  pages: Pages<Item>,
  rank: (item: Item) => number,
  ...bounds: [gone: AbortSignal, mostSlices?: number]
): Promise<readonly Ranked<Item>[]> => {
  const found: Ranked<Item>[] = [];
  for await (const page of lookedThrough(pages, ...bounds))
    found.push(...page.map((item) => ({ item, rank: rank(item) })).filter((one) => isMatch(one.rank)));
  return found;
};

type SuggestionOptions = Readonly<{ limit: number; shown: (entry: NamedEntry) => string; gone: AbortSignal }>;

/**
 * Ids of records with a text in their name, best first. `shown`: the name under which the caller may find a record. Without a text, the first records.
 * Some of them once the caller is `gone`.
 */
export const suggested = async (
  records: Pages<NamedEntry>,
  text: string,
  { limit, shown, gone }: SuggestionOptions,
): Promise<readonly string[]> => {
  const labelled = paged(records, (page) => page.map((record) => ({ id: record.id, label: shown(record) })));
  const found = await matching(labelled, ({ id, label }) => rankOf(label, id, text), gone);
  // By the names that the caller sees: the order must not tell hidden ones.
  const best = found.toSorted(
    (one, other) => one.rank - other.rank || compare(one.item.label, other.item.label) || compare(one.item.id, other.item.id),
  );
  return best.slice(0, limit).map(({ item }) => item.id);
};

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
