/** Sets a member, also one named `__proto__`, which an assignment would lose. */
export const setMember = <T>(object: Record<string, T>, member: string, value: T): void => {
  if (member === '__proto__') Object.defineProperty(object, member, { value, enumerable: true, writable: true, configurable: true });
  else object[member] = value;
};
