import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { inOneHour, onOneDay } from './one-day.js';

describe('a test that names today', () => {
  afterEach(() => {
    jest.useRealTimers();
  });
  const days: string[] = [];
  const beginningAt = (time: string, test: (day: string) => void): Promise<void> => {
    jest.useFakeTimers({ now: new Date(time) });
    days.length = 0;
    return onOneDay(async (day) => {
      days.push(day);
      test(day);
    });
  };

  it('runs again on the next day if it failed and the day ended in it', async () => {
    await beginningAt('2027-02-28T23:59:59.999Z', (day) => {
      jest.setSystemTime(new Date('2027-03-01T00:00:00.000Z'));
      expect(day).toBe('2027-03-01');
    });
    expect(days).toEqual(['2027-02-28', '2027-03-01']);
  });

  it('runs again in the next hour if it is one in one hour', async () => {
    jest.useFakeTimers({ now: new Date('2027-02-28T22:59:59.999Z') });
    const hours: string[] = [];
    await inOneHour(async (hour) => {
      hours.push(hour);
      jest.setSystemTime(new Date('2027-02-28T23:00:00.000Z'));
      expect(hour).toBe('2027-02-28T23');
    });
    expect(hours).toEqual(['2027-02-28T22', '2027-02-28T23']);
  });

  it('fails if it fails within a day, or on the next one, too', async () => {
    const failing = () => {
      throw new Error('wrong');
    };
    await expect(beginningAt('2027-02-28T23:59:59.000Z', failing)).rejects.toThrow('wrong');
    expect(days).toEqual(['2027-02-28']);
    const failingAtMidnight = () => {
      jest.setSystemTime(new Date('2027-03-01T00:00:00.000Z'));
      failing();
    };
    await expect(beginningAt('2027-02-28T23:59:59.000Z', failingAtMidnight)).rejects.toThrow('wrong');
    expect(days).toEqual(['2027-02-28', '2027-03-01']);
  });
});
