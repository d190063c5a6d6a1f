import type { HttpClient } from './status-client.js';

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

/** The same, until the server says that it can take traffic. */
export const untilReady = (root: HttpClient, within?: number) =>
  eventually(
    () => root.get('/health/ready'),
    ({ status }) => status === 200,
    within,
  );
