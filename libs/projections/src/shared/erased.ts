/**
 * Value of a member whose key is destroyed, in events that projections apply and in documents that they change. No caller can send it, and no store
 * contains it: where it is in a sealed member, the stored document records that the value was erased; elsewhere it becomes an empty text.
 */
export const ERASED_VALUE = `[erased ${crypto.randomUUID()}]`;

/** Returns whether a sealed member that is no text was erased. */
export const isErased = (value: unknown): boolean => value === ERASED_VALUE;
