import { expect, it } from '@jest/globals';
import { type Behind, LagLook } from './lag.js';

const by = (events: number): Behind => ({ head: 9n, lag: { events, seconds: 1 } });

it('makes one look of simultaneous ones while the documents are not level with the log', async () => {
  const look = new LagLook();
  let looks = 0;
  const answers: ((found: Behind) => void)[] = [];
  const ask = (isLevel: boolean) =>
    look.behind(isLevel, () => {
      looks += 1;
      return new Promise((resolve) => {
        answers.push(resolve);
      });
    });
  const first = [ask(false), ask(false)];
  expect(looks).toBe(1);
  const level = ask(true);
  expect(looks).toBe(2);
  answers[0]?.(by(3));
  answers[1]?.(by(0));
  expect([await Promise.all(first), await level]).toEqual([[by(3), by(3)], by(0)]);
  const next = ask(false);
  expect(looks).toBe(3);
  answers[2]?.(by(1));
  expect(await next).toEqual(by(1));
});

it('does not look again soon at documents that are far behind, unless they are level now', async () => {
  const look = new LagLook();
  const found = await look.behind(false, async () => by(1_000));
  expect(await look.behind(false, async () => by(2))).toBe(found);
  expect(await look.behind(true, async () => by(0))).toEqual(by(0));
});

it('looks again after a failure', async () => {
  const look = new LagLook();
  await expect(look.behind(false, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await look.behind(false, async () => by(2))).toEqual(by(2));
});
