import { describe, expect, it } from '@jest/globals';
import { MigrationProgress } from './progress.js';

/** Progress shown for work that reaches `done` at each second; `null` if nothing is shown. */
const shownOf = (isTTY: boolean) => {
  let [now, text] = [0, ''];
  const write = (written: string): boolean => {
    text = written;
    return true;
  };
  const progress = new MigrationProgress({ isTTY, write }, () => now);
  return (second: number, done: number, part = 'taking'): string => {
    now = second * 1_000;
    text = '';
    progress.show({ step: 'users', part, documents: done, done, of: 1_000 });
    return text;
  };
};
const left = (line: string): number | null => (JSON.parse(line) as { secondsLeft: number | null }).secondsLeft;

describe('the time left of a migration', () => {
  it('is not known before there was some work', () => {
    const show = shownOf(false);
    expect([left(show(0, 0)), left(show(1, 100))]).toEqual([null, null]);
    expect(left(show(2, 200))).toBe(8);
  });

  it('is right soon after an uneven source has become slow, or fast', () => {
    const show = shownOf(false);
    for (let second = 0; second <= 5; second++) show(second, second * 100); // half of it in five seconds
    const slow = Array.from({ length: 25 }, (_, index) => left(show(6 + index, 501 + index))); // and one per second from then on
    expect(slow.at(-1)).toBe(1_000 - 525);
    const fast = Array.from({ length: 20 }, (_, index) => left(show(31 + index, 530 + index * 20)));
    expect(fast.at(-1)).toBeLessThanOrEqual(6);
    expect((1_000 - 910) / 20).toBeLessThan(5); // the actual rate
  });

  it('is not known of what stands still, nor when another part begins', () => {
    const show = shownOf(false);
    for (let second = 0; second <= 30; second++) show(second, 100);
    expect(left(show(31, 100))).toBeNull();
    expect(left(show(32, 200))).not.toBeNull();
    expect(left(show(33, 10, 'verifying'))).toBeNull();
    expect(left(show(35, 30, 'verifying'))).toBe(97);
  });

  it('stands on terminals in one line, with the part that it is of', () => {
    const show = shownOf(true);
    show(0, 0);
    expect(show(2, 500)).toBe('\r\u001b[Kusers [###############...............] 50% 500 documents, 250/s, 2 s left of taking');
  });
});
