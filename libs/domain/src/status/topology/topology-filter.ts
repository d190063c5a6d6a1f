import { getOrInsert } from '#domain/shared/get-or-insert.js';
import { overLimit, STATUS_LIMITS } from '#domain/status/limits.js';

/** Whether a value passes. `undefined`: the record has no such tag. */
type Condition = (value: string | undefined) => boolean;

/** Conditions on an item of a topology list, by member and by tag. All must be met. */
export type TopologyFilter = Readonly<{ fields: ReadonlyMap<string, Condition>; tags: ReadonlyMap<string, Condition> }>;

export const NO_FILTER: TopologyFilter = { fields: new Map(), tags: new Map() };

/** A topology item as stored. */
export type TopologyItem = Readonly<Record<string, unknown>> & Readonly<{ tags?: Readonly<Record<string, string>> | null }>;

/** `*` matches any run of characters, every other character itself, and the whole value must match. One pass over the value, without backtracking. */
const wildcard = (pattern: string): ((value: string) => boolean) => {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (value) => value === pattern;
  return (value) => {
    if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
    const end = value.length - last.length;
    let from = first.length;
    for (const piece of rest) {
      const found = value.indexOf(piece, from); // the first occurrence leaves the most room for the rest
      if (found < 0 || found + piece.length > end) return false;
      from = found + piece.length;
    }
    return true;
  };
};

/**
 * The condition from the values of one parameter (status extended contract 3.3). Several values are alternatives. `~` before a single one negates it;
 * a missing tag passes a negation.
 */
export const conditionOf = (values: readonly string[]): Condition => {
  const [only] = values;
  if (values.length === 1 && only?.startsWith('~')) {
    const matches = wildcard(only.slice(1));
    return (value) => value === undefined || !matches(value);
  }
  const exact = new Set(values.filter((value) => !isPattern(value)));
  const patterns = values.filter(isPattern).map(wildcard);
  return (value) => value !== undefined && (exact.has(value) || patterns.some((matches) => matches(value)));
};

const isPattern = (value: string): boolean => value.includes('*');

/** Collects values by name and builds one condition per name. */
export class Conditions {
  private readonly values = new Map<string, string[]>();

  add(name: string, values: Iterable<string>): void {
    for (const value of values) {
      getOrInsert(this.values, name, () => []).push(value);
    }
  }

  /** @throws DomainError `OVER_LIMIT` if there are too many patterns, because each is tried on each item */
  all(): ReadonlyMap<string, Condition> {
    const patterns = [...this.values.values()].flat().filter(isPattern);
    if (patterns.length > STATUS_LIMITS.patternsPerFilter.value) throw overLimit('patternsPerFilter');
    return new Map([...this.values].map(([name, values]) => [name, conditionOf(values)]));
  }
}

export const filtersNothing = ({ fields, tags }: TopologyFilter): boolean => fields.size === 0 && tags.size === 0;

export const passes = (item: TopologyItem, { fields, tags }: TopologyFilter): boolean => {
  for (const [member, holds] of fields) {
    const value = item[member];
    if (!holds(typeof value === 'string' ? value : undefined)) return false;
  }
  for (const [tag, holds] of tags) {
    const has = item.tags && Object.hasOwn(item.tags, tag);
    if (!holds(has ? item.tags?.[tag] : undefined)) return false;
  }
  return true;
};
