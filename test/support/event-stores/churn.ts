/** Changes of the commits of a process that is killed, by their number: texts by keys, `undefined` for a removal. */
export const changesOf = (number: number): readonly (readonly [string, string | undefined])[] =>
  Array.from({ length: 30 }, (_, index) => {
    const key = `document ${(number * 7_919 + index * 104_729) % 900}`;
    const text = `${number} ${'x'.repeat((number * 37 + index * 1_013) % 6_000)}`;
    return [key, (number + index) % 5 === 0 ? undefined : text];
  });

/** The texts by their keys after the commits up to this one. */
export const textsAfter = (last: number): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>();
  for (let number = 1; number <= last; number += 1)
    for (const [key, text] of changesOf(number)) {
      if (text === undefined) texts.delete(key);
      else texts.set(key, text);
    }
  return texts;
};
