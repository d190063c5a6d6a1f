import type { CategoryFilter } from '#domain/shared/event-store.js';
import { categoryOf } from '#domain/shared/events.js';

/** A parsed category filter: exact names, and prefixes such as `status.` for `status.*`. */
export type Categories = Readonly<{ exact: ReadonlySet<string>; prefixes: readonly string[] }>;

const isWildcard = (name: string): boolean => name.endsWith('.*');

/** Returns `undefined` if there is no filter, so that every stream passes. */
export const parseFilter = (filter: CategoryFilter | undefined): Categories | undefined =>
  filter && {
    exact: new Set(filter.filter((name) => !isWildcard(name))),
    prefixes: filter.filter(isWildcard).map((name) => name.slice(0, -1)),
  };

export const passesCategory = ({ exact, prefixes }: Categories, category: string): boolean =>
  exact.has(category) || prefixes.some((prefix) => category.startsWith(prefix));

export const passes = (filter: Categories | undefined, stream: string): boolean => !filter || passesCategory(filter, categoryOf(stream));
