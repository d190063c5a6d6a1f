import { byBytes } from '#domain/shared/text/text-order.js';

/** Compares records by text members: by the first of them that differs. */
export const byMembers =
  <K extends string>(...members: readonly K[]) =>
  (left: Readonly<Record<K, string>>, right: Readonly<Record<K, string>>): number => {
    const differing = members.find((member) => left[member] !== right[member]);
    return differing === undefined ? 0 : byBytes(left[differing], right[differing]);
  };
