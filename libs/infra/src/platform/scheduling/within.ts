/** What the work comes to, or, where it takes longer than so many milliseconds, what `late` returns or throws. The work goes on all the same. */
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
