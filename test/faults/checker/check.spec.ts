import { describe, expect, it } from '@jest/globals';
import type { FinalState, PastLook } from '#test/faults/history.js';
import { check } from './check.js';
import {
  acknowledge,
  call,
  create,
  ending,
  get,
  list,
  look,
  messages,
  offsets,
  planted,
  points,
  publish,
  pull,
  remove,
  type Step,
  set,
  submit,
} from './planted-history.js';

const rulesOf = (steps: readonly Step[], final: FinalState = ending()): readonly string[] =>
  check(planted(steps), final).map(({ rule }) => rule);
const lost = { outcome: 'lost' } as const;
const away = { outcome: 'away' } as const;
const absent = { outcome: 'absent', told: {} } as const;
const refused = { outcome: 'refused' } as const;

/** Each row: what was planted, and every violation that is to be named, in order. */
type Row = readonly [story: string, steps: readonly Step[], named: readonly string[], final?: FinalState];
const cases = (rows: readonly Row[]): void => {
  for (const [story, steps, named, final] of rows) it(story, () => expect(rulesOf(steps, final)).toEqual(named));
};

describe('answers', () => {
  cases([
    ['a 500', [look('x', { ...refused, status: 500 })], ['wrong answer']],
    ['a 401 for a valid caller', [publish(['a'], [], { ...refused, status: 401 })], ['wrong answer']],
    ['a topic that is not there', [publish(['a'], [], absent)], ['wrong answer']],
    ['a subscription that is not there', [pull([], absent)], ['wrong answer']],
    ['503 without Retry-After', [look('x', { ...away, retryAfter: false })], ['503 without Retry-After']],
    ['503 with Retry-After', [look('x', away)], []],
    ['no answer', [look('x', lost)], []],
    ['a removal refused although nothing refers to it', [create('x'), remove('x', { ...refused, status: 403 })], ['wrong answer']],
    [
      'a removal refused because something refers to it',
      [create('x'), create('y', { refersTo: ['x'] }), remove('x', { ...refused, status: 403 })],
      [],
    ],
    [
      'a removal refused because something may refer to it',
      [create('x'), create('y', { refersTo: ['x'], ...lost }), remove('x', { ...refused, status: 409 })],
      [],
    ],
  ]);
});

describe('what clients see', () => {
  cases([
    ['an own record', [create('x'), look('x')], []],
    ['not an own record', [create('x'), look('x', absent)], ['own write not seen']],
    ['not an own record in a list', [create('x'), list([])], ['own write not seen']],
    ['not an own record, whose answer said that reads are behind', [create('x', { behind: true }), look('x', absent)], []],
    ['not an own record, in an answer that says that it is behind', [create('x'), list([], { behind: true })], []],
    ['not an own record, at another node', [create('x'), look('x', { ...absent, node: 'm' })], []],
    ['not the record of another', [create('x'), look('x', { ...absent, client: 'd' })], []],
    ['an own record that was removed', [create('x'), remove('x'), look('x')], ['own write not seen']],
    ['an own record whose removal nobody was told of, gone', [create('x'), remove('x', lost), look('x', absent)], []],
    ['an own record whose removal nobody was told of, there', [create('x'), remove('x', lost), look('x')], []],
    [
      'an own record whose removal was refused, gone',
      [create('x'), create('y', { refersTo: ['x'] }), remove('x', refused), look('x', absent)],
      ['own write not seen'],
    ],
    ['an own removal that finds nothing', [create('x'), remove('x', absent)], ['own write not seen']],
    ['a reference that finds nothing', [create('x'), create('y', { refersTo: ['x'], ...absent })], ['own write not seen']],
    ['the record of another, then not', [create('x', { client: 'd' }), look('x'), look('x', absent)], ['back in time']],
    ['the record of another, then not at another node', [create('x', { client: 'd' }), look('x'), look('x', { ...absent, node: 'm' })], []],
    ['a record that nobody made', [list(['x'])], ['from nowhere']],
    ['a record that nobody was told of', [create('x', lost), list(['x'])], []],
    ['a record that nobody was told of, then not', [create('x', lost), list(['x']), list([])], ['back in time']],
    ['an own value', [set('1', { at: 1 }), set('2', { at: 2 }), get('2')], []],
    ['an older value than the own', [set('1', { at: 1 }), set('2', { at: 2 }), get('1')], ['own write not seen']],
    ['no value instead of the own', [set('1'), get(null)], ['own write not seen']],
    ['a newer value of another', [set('1', { at: 1 }), set('2', { at: 2, client: 'd' }), get('2')], []],
    [
      'a value of another that is older than what was seen',
      [set('1', { at: 1, client: 'd' }), set('2', { at: 2, client: 'd' }), get('2'), get('1')],
      ['back in time'],
    ],
    [
      'values of two that wrote at the same time, by the log',
      [
        set('1', { at: 2, began: 0, ended: 20, client: 'd' }),
        set('2', { at: 1, began: 0, ended: 20, client: 'e' }),
        get('2', { began: 30, ended: 31 }),
        get('1', { began: 40, ended: 41 }),
      ],
      [],
    ],
    ['a value of which nobody was told, late', [set('1', lost), set('2'), get('1')], []],
    ['a value that was refused', [set('1', { ...refused, status: 404, outcome: 'absent' }), get('1')], ['from nowhere']],
    ['a value before it was written', [get('1', { began: 0, ended: 1 }), set('1', { began: 5, ended: 6 })], ['from nowhere']],
  ]);
});

describe('what is there in the end', () => {
  cases([
    ['an acknowledged record', [create('x')], [], ending([list(['x'])])],
    ['not an acknowledged record', [create('x')], ['acknowledged write lost'], ending([list([])])],
    [
      'not an acknowledged record, made while reads were behind',
      [create('x', { behind: true })],
      ['acknowledged write lost'],
      ending([list([])]),
    ],
    ['a removed record', [create('x'), remove('x')], ['acknowledged write lost'], ending([list(['x'])])],
    ['a record of which nobody was told, or not', [create('x', lost)], [], ending([list([])])],
    [
      'a record twice, made by one call',
      [create('x')],
      ['from nowhere', 'intent done twice'],
      ending([
        call(
          { kind: 'list', scope: 's' },
          {
            told: {
              entries: [
                { record: 'x', name: 'x' },
                { record: 'z', name: 'x' },
              ],
            },
          },
        ),
      ]),
    ],
    [
      'a record that was refused',
      [create('x', { ...refused, status: 400 })],
      ['wrong answer', 'from nowhere', 'from nowhere'],
      ending([list(['x'])]),
    ],
    ['the last value', [set('1', { at: 1 }), set('2', { at: 2 })], [], ending([get('2')])],
    ['an earlier value', [set('1', { at: 1 }), set('2', { at: 2 })], ['acknowledged write lost'], ending([get('1')])],
    ['a value of which nobody was told', [set('1', { at: 1 }), set('2', away)], [], ending([get('2')])],
    ['no value after the record went', [create('x'), set('1'), remove('x')], [], ending([get(null)])],
    [
      'a projection that differs',
      [],
      ['projection differs from the log'],
      ending([], { verifications: [{ projection: 'p', equal: false, detail: '' }] }),
    ],
    ['a broken chain', [], ['chain broken'], ending([], { chain: { intact: false, detail: 'missing' } })],
    ['a node that never became ready', [], ['did not recover'], ending([], { stuck: ['a1'] })],
    ['a process that fell over', [], ['process ended by itself'], ending([], { ended: ['a1 ended'] })],
  ]);
});

describe('names', () => {
  const taken = { ...refused, name: 'n' };
  cases([
    ['one name for two', [create('x', { name: 'n' }), create('y', { name: 'n' })], ['name given twice']],
    [
      'one name for two at the same moment',
      [create('x', { name: 'n', began: 0, ended: 9 }), create('y', { name: 'n', began: 1, ended: 9, node: 'm' })],
      ['name given twice'],
    ],
    ['a name again once it is free', [create('x', { name: 'n' }), remove('x'), create('y', { name: 'n' })], []],
    ['a name again once it may be free', [create('x', { name: 'n' }), remove('x', lost), create('y', { name: 'n' })], []],
    ['a name that is taken', [create('x', { name: 'n' }), create('y', taken)], []],
    ['a name that may be taken', [create('x', { name: 'n', ...lost }), create('y', taken)], []],
    ['a name refused that nobody has', [create('y', taken)], ['refused without reason']],
    [
      'the repeat of a call refused because of itself',
      [create('x', { intent: 'i', name: 'n', ...lost }), create('x', { ...taken, intent: 'i' })],
      ['refused without reason'],
    ],
    ['the repeat of a call', [create('x', { intent: 'i', ...lost }), create('x', { intent: 'i' })], []],
    [
      'the repeat of a call that makes a second record',
      [create('x', { intent: 'i', name: 'n' }), create('y', { intent: 'i', name: 'n' })],
      ['intent done twice'],
    ],
  ]);
});

describe('references', () => {
  const crossing = { began: 10, ended: 20 };
  cases([
    [
      'a reference and a removal that cross, both acknowledged',
      [create('x'), create('y', { refersTo: ['x'], ...crossing }), remove('x', crossing)],
      ['reference broken'],
    ],
    ['a removal after the reference', [create('x'), create('y', { refersTo: ['x'] }), remove('x')], ['reference broken']],
    ['a reference after the removal', [create('x'), remove('x'), create('y', { refersTo: ['x'] })], ['reference broken']],
    ['a removal after what referred to it has gone', [create('x'), create('y', { refersTo: ['x'] }), remove('y'), remove('x')], []],
    [
      'a removal after what referred to it may have gone',
      [create('x'), create('y', { refersTo: ['x'] }), remove('y', lost), remove('x')],
      [],
    ],
    ['a reference that was refused', [create('x'), create('y', { refersTo: ['x'], ...refused, ...crossing }), remove('x', crossing)], []],
    [
      'a reference of which nobody was told, there in the end without what it refers to',
      [create('x'), create('y', { refersTo: ['x'], ...lost }), remove('x')],
      ['reference broken'],
      ending([list(['y'])]),
    ],
  ]);
});

describe('messages', () => {
  const topic = (...texts: readonly string[]) => ending([], { topics: { t: messages(0, ...texts) } });
  cases([
    ['in order, once', [publish(['a', 'b'], [0, 1]), publish(['c'], [2])], [], topic('a', 'b', 'c')],
    ['lost', [publish(['a'], [0]), publish(['b'], [1])], ['acknowledged write lost'], topic('a')],
    [
      'elsewhere than was told',
      [publish(['a'], [0]), publish(['b'], [1], { began: 0 })],
      ['acknowledged write lost', 'acknowledged write lost'],
      topic('b', 'a'),
    ],
    ['twice', [publish(['a'], [0])], ['message doubled'], topic('a', 'a')],
    ['that nobody published', [publish(['a'], [0])], ['from nowhere'], topic('a', 'z')],
    ['that were refused', [publish(['a'], [], { ...refused, status: 413 })], ['wrong answer', 'refused write took effect'], topic('a')],
    ['of which nobody was told, there', [publish(['a', 'b'], [], lost)], [], topic('a', 'b')],
    ['of which nobody was told, not there', [publish(['a', 'b'], [], lost)], [], topic()],
    ['of which nobody was told, there in part', [publish(['a', 'b'], [], away)], ['publish torn'], topic('a')],
    ['with others between', [publish(['a', 'b'], [0, 2], { ended: 100 }), publish(['c'], [1])], ['publish torn'], topic('a', 'c', 'b')],
    ['against the order of calls', [publish(['a'], [1]), publish(['b'], [0])], ['messages out of order'], topic('b', 'a')],
    [
      'of a repeated call, at two places',
      [publish(['a'], [0], { intent: 'i' }), publish(['a'], [1], { intent: 'i' })],
      ['message doubled', 'intent done twice'],
      topic('a', 'a'),
    ],
    ['with a gap', [publish(['a'], [1])], ['gap in a topic', 'acknowledged write lost'], ending([], { topics: { t: messages(1, 'a') } })],
    ['delivered with another text', [publish(['a'], [0]), pull(messages(0, 'b'))], ['wrong message delivered'], topic('a')],
  ]);
});

describe('subscriptions', () => {
  const published = publish(['a', 'b', 'c'], [0, 1, 2], { client: 'd' });
  cases([
    ['everything once', [published, pull(messages(0, 'a', 'b')), acknowledge(1), pull(messages(2, 'c'))], []],
    ['again before it is acknowledged', [published, pull(messages(0, 'a')), pull(messages(0, 'a'))], []],
    ['again after it was acknowledged', [published, pull(messages(0, 'a')), acknowledge(0), pull(messages(0, 'a'))], ['delivered again']],
    [
      'again after it was acknowledged, at another node',
      [published, pull(messages(0, 'a')), acknowledge(0), pull(messages(0, 'a'), { node: 'm' })],
      ['delivered again'],
    ],
    [
      'again after an acknowledgement that was refused',
      [published, pull(messages(0, 'a')), acknowledge(0, { ...refused, status: 408 }), pull(messages(0, 'a'))],
      [],
    ],
    [
      'on after an acknowledgement of which nobody was told',
      [published, pull(messages(0, 'a')), acknowledge(0, lost), pull(messages(1, 'b'))],
      [],
    ],
    ['on without acknowledgement', [published, pull(messages(1, 'b'))], ['messages left out']],
    ['with gaps', [published, pull([...messages(0, 'a'), ...messages(2, 'c')])], ['messages left out']],
    [
      'an acknowledgement of what was just delivered, refused',
      [published, pull(messages(0, 'a')), acknowledge(0, refused)],
      ['delivery forgotten'],
    ],
    ['an acknowledgement repeated, refused', [published, pull(messages(0, 'a')), acknowledge(0, lost), acknowledge(0, refused)], []],
    [
      'an acknowledgement of what was just delivered, refused, while another is still open',
      [published, pull(messages(0, 'a')), acknowledge(0, lost), pull(messages(0, 'a')), acknowledge(0, refused)],
      [],
    ],
    ['counters that grow', [published, offsets(1, 0), offsets(3, 1)], []],
    ['a count that goes back', [published, offsets(3, 0), offsets(1, 0)], ['back in time']],
    ['a place that goes back', [published, offsets(3, 2), offsets(3, 1)], ['back in time']],
    ['a count that goes back at another node', [published, offsets(3, 0), offsets(1, 0, { node: 'm' })], []],
    ['own messages not counted', [publish(['a'], [0]), offsets(0, 0)], ['own write not seen']],
    ['own messages not delivered', [publish(['a'], [0]), publish(['b'], [1]), pull(messages(0, 'a'))], ['own write not seen']],
  ]);
});

describe('metric data', () => {
  const shows = (...shown: readonly string[]) => ending([points(...shown)]);
  cases([
    ['the points of all calls, each once', [submit(['a', 'b']), submit(['c'])], [], shows('a', 'c', 'b')],
    ['no point of an acknowledged call', [submit(['a', 'b'])], ['acknowledged write lost'], shows()],
    ['some points of an acknowledged call', [submit(['a', 'b'])], ['acknowledged write lost'], shows('b')],
    ['no point of a call without an answer', [submit(['a', 'b'], lost)], [], shows()],
    ['all points of a call without an answer', [submit(['a', 'b'], away)], [], shows('a', 'b')],
    ['some points of a call without an answer', [submit(['a', 'b'], lost)], ['call torn'], shows('a')],
    ['a point twice', [submit(['a', 'b'])], ['point doubled'], shows('a', 'b', 'a')],
    [
      'a repeated call twice',
      [submit(['a'], { ...lost, intent: 'one' }), submit(['a'], { intent: 'one' })],
      ['point doubled'],
      shows('a', 'a'),
    ],
    ['a point of a refused call', [submit(['a'], refused)], ['wrong answer', 'refused write took effect'], shows('a')],
    ['a point that nobody sent', [], ['from nowhere'], shows('a')],
  ]);
});

describe('the past', () => {
  const NINE = '2026-01-01T09:00:00.000Z';
  const TEN = '2026-01-01T10:00:00.000Z';
  const made = [create('x', { at: 20 }), create('y', { at: 30 })];
  const seen = (asOf: bigint | string, rest: Partial<PastLook> = {}): PastLook => ({
    call: 0,
    asOf,
    isThere: true,
    position: typeof asOf === 'bigint' ? asOf : 20n,
    time: NINE,
    ...rest,
  });
  const past = (...looks: readonly PastLook[]) => ending([], { past: looks });
  cases([
    ['a record as of its write, and not before', made, [], past(seen(20n), seen(19n, { isThere: false }))],
    ['not a record as of its write', made, ['past not as it was'], past(seen(20n, { isThere: false }))],
    ['a record before its write', made, ['past not as it was'], past(seen(19n))],
    ['more than was asked for', made, ['past not as it was'], past(seen(20n, { position: 30n }))],
    ['a record as of the time of its write', made, [], past(seen(NINE), seen(NINE, { position: 30n }))],
    ['not a record as of the time of its write', made, ['past not as it was'], past(seen(NINE, { isThere: false }))],
    ['a record that went at the same time', [...made, remove('x', { at: 40 })], [], past(seen(NINE, { isThere: false, position: 40n }))],
    ['an answer that ends before the write of that time', made, ['past not as it was'], past(seen(NINE, { position: 19n }))],
    ['an answer of another time', made, ['past not as it was'], past(seen(TEN))],
    ['times that go on', made, [], past(seen(30n, { call: 1, time: TEN }), seen(20n))],
    ['times that go back', made, ['log time goes back'], past(seen(30n, { call: 1, time: NINE }), seen(20n, { time: TEN }))],
  ]);
});
