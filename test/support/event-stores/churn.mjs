/** The changes of a commit by its number: texts by keys, `undefined` where one is removed. */
export const changesOf = (number) => {
  const changes = Array.from({ length: 30 }, (_, index) => {
    const key = `document ${(number * 7_919 + index * 104_729) % 900}`;
    const text = `${number} ${'x'.repeat((number * 37 + index * 1_013) % 6_000)}`;
    return [key, (number + index) % 5 === 0 ? undefined : text];
  });
  return [...changes, ['last', `${number}`]];
};
