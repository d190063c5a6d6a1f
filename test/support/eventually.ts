import { inspect } from 'node:util';

/** Less than a test of Jest has, so that the last answer is shown. */
export const LONGEST_MS = 400_000;

/** Pauses between two looks, in milliseconds: the longest, and how much longer each is than the one before. Looks delay what is waited for. */
const LONGEST_PAUSE_MS = 100;
const LONGER_BY_MS = 2;

/** Resolves after the pause with the next one. */
const paused = async (pause: number): Promise<number> => {
  await new Promise((resolve) => setTimeout(resolve, pause));
  return Math.min(pause + LONGER_BY_MS, LONGEST_PAUSE_MS);
};

/** `then` is never there: for it the compiler refuses `await eventually(ask)` without `until`, which would wait for nothing. */
type Eventual<Answer> = Readonly<{
  until(wanted: (answer: Answer) => boolean): Promise<Answer>;
  then?(forgotten: never): never;
}>;

/**
 * `eventually(ask).until(wanted)` asks again, at least every 100 ms, until the answer is as wanted, and returns it. `within`, in milliseconds, only ends
 * what will never be as wanted: it leaves room for machines that are busy with other things.
 * @throws after that time, with the last answer
 */
export const eventually = <T>(ask: () => T | Promise<T>, within = LONGEST_MS): Eventual<Awaited<T>> => ({
  until: async (wanted): Promise<Awaited<T>> => {
    const deadline = performance.now() + within;
    for (let pause = LONGER_BY_MS; ; pause = await paused(pause)) {
      const answer = await ask();
      if (wanted(answer)) return answer;
      if (performance.now() > deadline) throw new Error(`still not as wanted after ${within} ms: ${inspect(answer, { depth: null })}`);
    }
  },
});

/** Repeats assertions, at least every 100 ms, until all of them hold. @throws after that time, with the one that did not */
export const holds = async (assertions: () => Promise<unknown>, within = LONGEST_MS): Promise<void> => {
  const deadline = performance.now() + within;
  for (let pause = LONGER_BY_MS; ; pause = await paused(pause)) {
    const failure = await assertions().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (!failure) return;
    if (performance.now() > deadline) throw failure.error;
  }
};

/** `eventually`, until the server can take traffic and shows everything. */
export const untilReady = <Answer extends Readonly<{ status: number }>>(
  root: Readonly<{ get(path: string): Promise<Answer> }>,
  within?: number,
) => eventually(() => root.get('/health'), within).until(({ status }) => status === 200);

/** Resolves once the condition holds. @throws after as long as {@link eventually} */
export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  await eventually(condition)
    .until(Boolean)
    .catch((error: Error) => {
      throw new Error(`it never came true: ${condition}`, { cause: error });
    });
};

/** Calls again what fails because the machine is busy, and returns what comes of it. @throws after as long as {@link eventually} */
export const inTheEnd = async <T>(call: () => Promise<T>): Promise<T> => {
  const outcome = await eventually(() =>
    call().then(
      (value) => ({ value }),
      (error: unknown) => ({ error: String(error) }),
    ),
  ).until((answer) => 'value' in answer);
  if ('value' in outcome) return outcome.value;
  throw new Error(outcome.error);
};
