/** Sort key of a UTF-16 unit in the order of code points: surrogates come last, because they encode the highest code points. */
const rank = (unit: number): number => {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
};

/** Compares texts by their UTF-8 bytes, which is the order of code points. */
export const byBytes = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const [one, other] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (one !== other) return rank(one) - rank(other);
  }
  return left.length - right.length;
};

/** Compares lists of equal length by {@link byBytes}, first text first. */
export const allByBytes = (left: readonly string[], right: readonly string[]): number => {
  for (const [index, text] of left.entries()) {
    const order = byBytes(text, right[index] ?? '');
    if (order !== 0) return order;
  }
  return 0;
};

/** Sorts the members by {@link byBytes}, except that integers come first, as in any object. Layouts of answers sort these, too. */
export const inKeyOrder = <T>(members: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(members).sort(([left], [right]) => byBytes(left, right)));
