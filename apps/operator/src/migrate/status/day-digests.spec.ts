import { describe, expect, it } from '@jest/globals';
import { daysToWrite, ordered } from './day-digests.js';

const list = (days: Record<string, string>) => new Map(Object.entries(days));

describe('days of topology', () => {
  it('are written only where something differs from the day before', () => {
    const days = list({ '2024-01-01': 'a', '2024-01-02': 'a', '2024-01-03': 'b', '2024-01-04': 'a' });
    expect([...daysToWrite([days])]).toEqual(['2024-01-01', '2024-01-03', '2024-01-04']);
  });

  it('go together: one that changes takes the other with it', () => {
    const groups = list({ '2024-01-01': 'a', '2024-01-02': 'a', '2024-01-03': 'a' });
    const endpoints = list({ '2024-01-01': 'x', '2024-01-02': 'y', '2024-01-03': 'y' });
    expect([...daysToWrite([groups, endpoints])]).toEqual(['2024-01-01', '2024-01-02']);
  });

  it('count where only one list has them, and so does the next', () => {
    const groups = list({ '2024-01-01': 'a', '2024-01-02': 'a', '2024-01-03': 'a' });
    const endpoints = list({ '2024-01-01': 'x', '2024-01-03': 'x' });
    expect([...daysToWrite([groups, endpoints])]).toEqual(['2024-01-01', '2024-01-02', '2024-01-03']);
  });

  it('do not depend on the order of files', () => {
    expect([...daysToWrite([list({ '2024-01-02': 'a', '2024-01-01': 'a' })])]).toEqual(['2024-01-01']);
  });

  it('do not depend on the order of members', () =>
    expect(JSON.stringify(ordered({ b: [{ d: 1, c: 2 }], a: null }))).toBe('{"a":null,"b":[{"c":2,"d":1}]}'));
});
