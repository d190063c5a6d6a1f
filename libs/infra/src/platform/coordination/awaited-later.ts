/** A promise that is awaited after something else, or never. Without this, its rejection would end the process if it came before. */
export const awaitedLater = <Result>(work: Promise<Result>): Promise<Result> => {
  work.catch(() => undefined);
  return work;
};
