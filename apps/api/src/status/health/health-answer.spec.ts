import { describe, expect, it } from '@jest/globals';
import { healthAnswer } from './health-answer.js';

const check = { status: 'CRITICAL', message: 'no data', at: '2024-01-01T08:00:00.500Z' };
const acknowledgement = { status: 'OK', message: 'known', at: '2024-01-01T09:00:00.000Z', timeoutHours: 2 };
const now = (text: string): number => Date.parse(text);
const [during, after] = [now('2024-01-01T10:59:59.999Z'), now('2024-01-01T11:00:00.000Z')];

describe('health', () => {
  it('is that of the check, at the moment of the answer', () =>
    expect(Object.entries(healthAnswer({ check }, during, false))).toEqual([
      ['status', 'CRITICAL'],
      ['timestamp', '2024-01-01T10:59:59Z'],
      ['message', 'no data'],
    ]));

  it('is that of the acknowledgement until its timeout, and no longer', () => {
    expect(healthAnswer({ check, acknowledgement }, during, false)).toMatchObject({ status: 'OK', message: 'known' });
    expect(healthAnswer({ check, acknowledgement }, after, false)).toMatchObject({ status: 'CRITICAL', message: 'no data' });
  });

  it.each([{ status: '' }, { message: '' }, { timeoutHours: -1 }])('is not that of an acknowledgement with %j', (changes) =>
    expect(healthAnswer({ check, acknowledgement: { ...acknowledgement, ...changes } }, during, true)).toEqual({
      status: 'CRITICAL',
      timestamp: '2024-01-01T10:59:59Z',
      message: 'no data',
      auto_check_status: 'CRITICAL',
      auto_check_mesage: 'no data',
      auto_check_message: 'no data',
      auto_check_timestamp: '2024-01-01T08:00:00Z',
    }),
  );

  it('says on demand what check and acknowledgement say', () =>
    expect(healthAnswer({ check, acknowledgement }, during, true)).toEqual({
      status: 'OK',
      timestamp: '2024-01-01T10:59:59Z',
      message: 'known',
      auto_check_status: 'CRITICAL',
      auto_check_mesage: 'no data',
      auto_check_message: 'no data',
      auto_check_timestamp: '2024-01-01T08:00:00Z',
      ack_status: 'OK',
      ack_message: 'known',
      ack_timestamp: '2024-01-01T09:00:00Z',
      ack_timeout_hours: 2,
    }));

  it('leaves out what has no value', () =>
    expect(healthAnswer({ check: { ...check, status: '', message: '' } }, during, true)).toEqual({
      timestamp: '2024-01-01T10:59:59Z',
      auto_check_timestamp: '2024-01-01T08:00:00Z',
    }));
});
