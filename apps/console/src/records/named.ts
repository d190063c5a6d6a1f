import { type NamedKind, namedKind } from '#domain/operations/named-kinds.js';
import type { NamedRecord } from '../api/names.js';
import type { Reference } from './places.js';

/** Kinds that `/ops/names` finds under the id of their project and their own. */
const IN_PROJECT: readonly NamedKind[] = ['messaging.topic', 'messaging.schema'];

/** Whether records of a kind have names. */
export const isNamed = (service: string, kind: string): boolean => namedKind(`${service}.${kind}`) !== undefined;

/** A record as `/ops/names` finds it; `undefined` where its kind has no names. */
export const namedOf = ({ service, kind, id, scope }: Reference): NamedRecord | undefined => {
  const named = namedKind(`${service}.${kind}`);
  return named && { kind: named, id: IN_PROJECT.includes(named) ? `${scope}/${id}` : id };
};
