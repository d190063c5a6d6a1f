import { afterEach, jest } from '@jest/globals';

const restore: (() => void)[] = [];
afterEach(() => {
  for (const each of restore.splice(0)) each();
});

/** Stops the monotonic clock (`performance.now`) of this process until the end of the test. @returns moves it on, by milliseconds */
export const stopClock = (): ((milliseconds: number) => void) => {
  let now = Math.ceil(performance.now()); // sums and differences are exact
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  restore.push(() => clock.mockRestore());
  return (milliseconds) => {
    now += milliseconds;
  };
};
