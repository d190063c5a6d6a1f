import { type Mapping, type ResourceReference, text } from '#domain/shared/resource-change.js';

export const reference = (kind: string, id: string): ResourceReference => ({ service: 'accounting', kind, id });

/** Maps an event to the record whose id is in `member`. The ids of its owners are in other members. */
export const record =
  (kind: string, member: string, ...owners: readonly (readonly [kind: string, member: string])[]): Mapping =>
  ({ data }) => [{ ...reference(kind, text(data, member)), owners: owners.map(([owner, id]) => reference(owner, text(data, id))) }];
