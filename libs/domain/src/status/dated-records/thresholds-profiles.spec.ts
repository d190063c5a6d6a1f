import { describe, expect, it } from '@jest/globals';
import { isThresholds, thresholdsProfiles } from './thresholds-profiles.js';

describe('thresholds (status extended contract 2)', () => {
  it.each([
    'ab=1',
    'freshness=10s',
    'entries=1;3;2:10',
    'freshness=1s;10;9:30;0;100 entries=29;;30',
    'time=0.5ms;~:5;10:',
    'load1=0.1.2%',
    'size=-5KB;-1:-3;@1:2;-9;-1',
    'ab=1;;;;',
    'ab=1;;;;;;;',
    'ab=1sbc=2',
    'ab=1 bc=2\tcd=3',
    'ab=1;bc=2',
    'a_=1',
    'ab=1ms=2',
    'ab=1TB',
    'ab=1us;@~:5',
  ])('%j is valid', (text) => expect(isThresholds(text)).toBe(true));

  it.each([
    '',
    ' ',
    'ab',
    'a=1',
    '1a=1',
    '_a=1',
    'ab=',
    'ab=x',
    'ab=1x',
    'ab=1.',
    'ab=.5',
    'ab=1GB',
    'ab=1;a',
    'ab=1;1:2:3',
    'ab=1;;;~',
    'ab=1;;;1:2',
    ' ab=1',
    'ab =1',
    'ab= 1',
    'äb=1',
    'ab=1;;;1;2;3',
    'ab=+1',
  ])('%j is invalid', (text) => expect(isThresholds(text)).toBe(false));

  it('are validated in linear time, even for ambiguous texts: quadratic time would exceed the time limit of the test', () => {
    expect(isThresholds(`${'ab=1;'.repeat(100_000)}!`)).toBe(false);
    expect(isThresholds(`ab=1${';'.repeat(500_000)}`)).toBe(true);
    expect(isThresholds(`ab=${'1'.repeat(500_000)}!`)).toBe(false);
    expect(isThresholds(`ab=1${'.1'.repeat(500_000)}`)).toBe(true);
    expect(isThresholds(`ab=1${'s'.repeat(500_000)}=x`)).toBe(false);
  });

  const { decider } = thresholdsProfiles;
  const rule = (thresholds: string) => ({ metric: 'm', thresholds });
  const create = (name: string, ...texts: string[]) =>
    ({ type: 'CreateRecord', id: name, date: '2024-01-01', record: { name, rules: texts.map(rule) } }) as const;

  it('report every invalid rule, in order', () => {
    expect(() => decider.decide(create('a', 'bad', 'ab=1', ''), decider.initialState())).toThrow(
      expect.objectContaining({ code: 'RECORD_INVALID', details: { lines: ['Invalid threshold: bad', 'Invalid threshold: '] } }),
    );
  });

  it('are validated after the name on creation, before it on revision', () => {
    const state = [create('a', 'ab=1'), create('b', 'ab=1')]
      .flatMap((command) => decider.decide(command, decider.initialState()))
      .reduce((state, event) => decider.evolve(state, event), decider.initialState());
    expect(() => decider.decide({ ...create('a', 'bad'), id: 'c' }, state)).toThrow(expect.objectContaining({ code: 'NAME_TAKEN' }));
    expect(() => decider.decide({ ...create('a', 'bad'), type: 'ReviseRecord', id: 'b' }, state)).toThrow(
      expect.objectContaining({ code: 'RECORD_INVALID' }),
    );
  });
});
