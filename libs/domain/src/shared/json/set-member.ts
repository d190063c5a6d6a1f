/** Sets a member. Unlike an assignment, this also works for `__proto__`. */
export const setMember = <T>(object: Record<string, T>, member: string, value: T): void => {
  if (member === '__proto__') Object.defineProperty(object, member, { value, enumerable: true, writable: true, configurable: true });
  else object[member] = value;
};
