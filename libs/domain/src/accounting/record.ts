import { type Mapping, type ResourceReference, text } from '#domain/shared/resource-change.js';

export const reference = (kind: string, id: string): ResourceReference => ({ service: 'accounting', kind, id });

/** What events change whose record has its id in a member, and that of its owners in others. */
export const record =
  (kind: string, member: string, ...owners: readonly (readonly [kind: string, member: string])[]): Mapping =>
  ({ data }) => [{ ...reference(kind, text(data, member)), owners: owners.map(([owner, id]) => reference(owner, text(data, id))) }];
