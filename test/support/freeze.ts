/** Freezes a value with all that is in it: who changes in place what is shared throws then. */
export const freeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || value instanceof Buffer) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
  return value;
};
