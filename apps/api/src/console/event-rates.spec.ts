import { expect, it } from '@jest/globals';
import { EventRates } from './event-rates.js';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;

it('count events by minutes of the last hour, and look up what is over once', () => {
  // Sixty a minute until half past eleven, and ten in the last five seconds.
  const times = [
    ...Array.from({ length: 1_800 }, (_, second) => NOON - 60 * MINUTE + second * 1_000),
    ...Array<number>(10).fill(NOON + 25_000),
  ];
  const asked: number[] = [];
  const rates = new EventRates({
    build: 'one',
    countBefore: (instant) => {
      asked.push(instant);
      return times.filter((time) => time < instant).length;
    },
  });
  const shown = rates.at(NOON + 30_000);
  expect(shown.from).toBe('2026-03-01T11:01:00.000Z');
  expect(shown.now).toBe(1);
  expect(shown.minutes).toEqual([...Array<number>(29).fill(1), ...Array<number>(30).fill(0), 10 / 30]);
  asked.length = 0;
  expect(rates.at(NOON + 31_000).minutes[59]).toBe(10 / 31);
  expect(asked).toEqual([NOON + 31_000, NOON + 21_000]);
});

it('count again what an index that catches up did not have', () => {
  const times = Array.from({ length: 60 }, (_, minute) => NOON - (60 - minute) * MINUTE);
  let indexed = 10;
  const rates = new EventRates({ build: 'one', countBefore: (instant) => times.slice(0, indexed).filter((time) => time < instant).length });
  const sum = () => rates.at(NOON).minutes.reduce((total, perSecond) => total + perSecond * 60, 0);
  expect(Math.round(sum())).toBe(9);
  indexed = 60;
  expect(Math.round(sum())).toBe(59);
});

it('count again when the index begins anew, because the log is another one', () => {
  let [times, build] = [Array.from({ length: 60 }, (_, minute) => NOON - (60 - minute) * MINUTE), 'one'];
  const countBefore = (instant: number) => times.filter((time) => time < instant).length;
  const rates = new EventRates({
    get build() {
      return build;
    },
    countBefore,
  });
  rates.at(NOON);
  [times, build] = [times.slice(0, 10), 'another'];
  expect(rates.at(NOON + 1_000).minutes.map((perSecond) => Math.round(perSecond * 60))).toEqual([
    ...Array<number>(9).fill(1),
    ...Array<number>(51).fill(0),
  ]);
});
