import { addedBy, isNothing } from '#infra/stores/read-store/keys.js';
import type { ProjectionKeys } from '#infra/stores/read-store/redis/keys.js';
import { prefixEnds } from '#infra/stores/read-store/redis/lexical.js';
import type { Argument } from '#infra/stores/read-store/redis/script.js';
import type { Change, Namespace } from '#projections/shared/read-store.js';
import { STEP } from './commit-scripts.js';
import { adds, type UnfinishedWork } from './unfinished.js';

/** Maximum number of documents that a commit writes or removes by key in one script, and of characters in their values. */
const MAX_CHANGES = 6_000;
const MAX_CHARACTERS = 8 * 2 ** 20;
/** Characters of values in one part of a commit. */
const PART_CHARACTERS = 2 ** 20;
/** With more prefixes to remove, comparing every read with each of them takes longer than finishing first. */
const MAX_PREFIXES = 100;

/**
 * Plan for the changes of a commit. `direct`: made by the script of the commit. `parts`: stored before it, each with its kind and
 * collection, and carried out after it in steps. `areas`: work that is unfinished until then.
 */
export type CommitPlan = Readonly<{ direct: readonly Change[]; parts: readonly (readonly Argument[])[]; areas: readonly UnfinishedWork[] }>;

/** Makes all changes at once, or in parts if there are too many. */
export const planOf = (changes: readonly Change[]): CommitPlan =>
  isLarge(changes) ? inParts(changes) : { direct: changes, parts: [], areas: [] };

/** Plan for changes whose prefixes remove too much for one script: those become parts; others are made at once if their order allows. */
export const planOfLargePrefixes = (changes: readonly Change[]): CommitPlan => {
  const prefixes = changes.filter((change) => change.kind === 'delete-prefix');
  if (isLarge(changes) || prefixes.length > MAX_PREFIXES) return inParts(changes);
  const direct: Change[] = [];
  const removed = new Map<string, string[]>();
  // Backwards: a key that is put before a prefix and has it is removed; one put after the prefix must stay.
  for (const change of changes.toReversed()) {
    const gone = removed.get(change.collection) ?? [];
    if (change.kind === 'delete-prefix') removed.set(change.collection, [...gone, change.prefix.toWellFormed()]);
    else if (!gone.some((prefix) => change.key.toWellFormed().startsWith(prefix))) direct.push(change);
  }
  const staysUnder = (change: Change): boolean =>
    adds(change) && (removed.get(change.collection) ?? []).some((prefix) => change.key.toWellFormed().startsWith(prefix));
  if (direct.some(staysUnder)) return inParts(changes);
  return {
    direct: direct.toReversed(),
    parts: partsOf(prefixes),
    areas: [...removed].flatMap(([collection, gone]) => [...new Set(gone)].map((prefix): UnfinishedWork => [collection, prefix])),
  };
};

const isLarge = (changes: readonly Change[]): boolean => {
  if (changes.length > MAX_CHANGES) return true;
  let characters = 0;
  for (const change of changes) characters += addedBy(change);
  return characters > MAX_CHARACTERS;
};

const inParts = (changes: readonly Change[]): CommitPlan => ({
  direct: [],
  parts: partsOf(changes),
  areas: [...new Set(changes.map(({ collection }) => collection))].map((collection): UnfinishedWork => [collection, null]),
});

/** The part of KEYS and ARGV of the script COMMIT that describes changes. KEYS are numbered from `firstKey`. */
export const commitArguments = (
  keys: ProjectionKeys,
  slot: Namespace['slot'],
  changes: readonly Change[],
  firstKey: number,
): Readonly<{ keys: readonly string[]; args: readonly Argument[] }> => {
  const names = [...new Set(changes.map(({ collection }) => collection))];
  const numbers = new Map<Argument | undefined, string>(names.map((name, n) => [name, String(firstKey + 2 * n)]));
  return {
    keys: names.flatMap((name) => [keys.documents(slot, name), keys.index(slot, name)]),
    args: partsOf(changes).flatMap((part) => [numbers.get(part[1]) ?? '', String(part.length), ...part]),
  };
};

/** In the order of the changes to each collection, with consecutive ones of one kind together: the kind, the collection, then the arguments. */
const partsOf = (changes: readonly Change[]): readonly (readonly Argument[])[] => {
  const parts: Argument[][] = [];
  const open = new Map<string, { kind: string; part: Argument[]; characters: number }>();
  for (const change of changes) {
    const kind = kindOf(change);
    let last = open.get(change.collection);
    if (last?.kind !== kind || last.part.length > STEP || last.characters > PART_CHARACTERS) {
      last = { kind, part: [kind, change.collection], characters: 0 };
      open.set(change.collection, last);
      parts.push(last.part);
    }
    last.characters += addedBy(change);
    if (change.kind === 'delete-prefix') last.part.push(...prefixEnds(change.prefix));
    else last.part.push(change.key);
    if (kind === 'put' && change.kind === 'put') last.part.push(change.value);
    else if (change.kind === 'append') last.part.push(change.piece.toWellFormed());
  }
  return parts;
};

/** The kind of operation in a part. */
const kindOf = (change: Change): string => {
  if (change.kind === 'put') return isNothing(change.value) ? 'list' : 'put';
  return change.kind === 'delete-prefix' ? 'prefix' : change.kind;
};
