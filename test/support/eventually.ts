/** Half a minute less than a test of Jest has, so that the last answer is shown. */
export const LONGEST_MS = 150_000;

/**
 * Asks again every 20 ms until the answer is as wanted, and returns it. `within`, in milliseconds, only ends what will never be as wanted: it leaves
 * room for machines that are busy with other things.
 * @throws after that time, with the last answer
 */
export const eventually = async <T>(ask: () => Promise<T>, wanted: (answer: T) => boolean, within = LONGEST_MS): Promise<T> => {
  const deadline = performance.now() + within;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`still not as wanted after ${within} ms: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** Repeats assertions every 20 ms until all of them hold. @throws after that time, with the one that did not */
export const holds = async (assertions: () => Promise<unknown>, within = LONGEST_MS): Promise<void> => {
  const deadline = performance.now() + within;
  for (;;) {
    const failure = await assertions().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (!failure) return;
    if (performance.now() > deadline) throw failure.error;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/** `eventually`, until the server says that it can take traffic. */
export const untilReady = <Answer extends Readonly<{ status: number }>>(
  root: Readonly<{ get(path: string): Promise<Answer> }>,
  within?: number,
) =>
  eventually(
    () => root.get('/health/ready'),
    ({ status }) => status === 200,
    within,
  );
