import type { Provider } from '#domain/accounting/catalogue/catalogue-events.js';
import { ACCOUNTING_LIMITS, sizeOf } from '#domain/accounting/limits.js';

/** A provider in the external catalogue. */
export type ProviderEntry = Readonly<{ providerId: string }> & Provider;

/** One answer of the catalogue. `unreadable`: how many entries were left out; `total`: how many the catalogue has in all, if it says so. */
export type ProviderList = Readonly<{ entries: readonly ProviderEntry[]; unreadable: number; total?: number }>;

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value.toWellFormed() : null);

/** `undefined` without an id or a name, or if the entry exceeds the size of a record. Other members are ignored. */
const entryOf = (value: unknown): ProviderEntry | undefined => {
  if (!isObject(value)) return undefined;
  const [providerId, name] = [textOrNull(value.id), textOrNull(value.name)];
  if (providerId === null || name === null) return undefined;
  const [website, abbreviation, logo] = [textOrNull(value.website), textOrNull(value.abbreviation), textOrNull(value.logo)];
  const entry = { providerId, name, website, abbreviation, logo };
  return sizeOf(entry) > ACCOUNTING_LIMITS.recordSize.value ? undefined : entry;
};

/** The providers of an answer, in `results` (accounting contract 8.1) or a plain array. @throws when it is neither */
export const providerList = (answer: unknown): ProviderList => {
  const results = isObject(answer) ? answer.results : answer;
  const total = isObject(answer) && typeof answer.total === 'number' ? { total: answer.total } : {};
  if (!Array.isArray(results)) {
    // Asked for no entries, the catalogue answers with their number only.
    if ('total' in total) return { entries: [], unreadable: 0, ...total };
    throw new Error('neither an array of providers nor an object with results');
  }
  const entries = results.flatMap((value) => entryOf(value) ?? []);
  return { entries, unreadable: results.length - entries.length, ...total };
};
