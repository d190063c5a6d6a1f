/** Result of the work or, after this many milliseconds, the result of `late`. The work is not stopped. */
export const within = async <Result, Late>(milliseconds: number, work: Promise<Result>, late: () => Late): Promise<Result | Late> => {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    return await Promise.race([work, timeUp.then(late)]);
  } finally {
    clearTimeout(timer);
  }
};
