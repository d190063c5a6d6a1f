import { describe, expect, it } from '@jest/globals';
import { readBody } from '#api/shared/bodies/body-shape.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { acknowledgeBody, instantIn, isWaiting, limitOf, offsetBody, pullBody, soughtIn } from './pull-body.js';

const bytes = (body: unknown): Buffer => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

describe('The body of a pull', () => {
  it.each([
    [{}, 1],
    [null, 1],
    [{ maxMessages: '' }, 1],
    [{ maxMessages: null }, 1],
    [{ maxMessages: 'x' }, 1],
    [{ maxMessages: '2.5' }, 1],
    [{ maxMessages: ' 2' }, 1],
    [{ maxMessages: '0' }, 1],
    [{ maxMessages: '-3' }, 1],
    [{ maxMessages: '1' }, 1],
    [{ maxMessages: '2' }, 2],
    [{ maxMessages: '+2' }, 2],
    [{ MAXMESSAGES: '2' }, 2],
    [{ maxMessages: '1000000000' }, 1e9],
    [{ maxMessages: '99999999999999999999999' }, 1e23],
    [{ maxMessages: 2 }, 2],
    [{ maxMessages: 0 }, 1],
    [{ maxMessages: -1 }, 1],
    [{ maxMessages: '2', unknown: [1] }, 2],
  ])('%j asks for %i messages', (body, limit) => expect(limitOf(readBody(pullBody, bytes(body)).maxMessages)).toBe(limit));

  it.each([
    [{}, false],
    [{ returnImmediately: 'true' }, false],
    [{ returnImmediately: 'FALSE' }, false],
    [{ returnImmediately: '' }, false],
    [{ returnImmediately: null }, false],
    [{ returnImmediately: true }, false],
    [{ returnImmediately: 'false' }, true],
    [{ returnImmediately: false }, true],
  ])('%j waits for messages: %s', (body, waits) => expect(isWaiting(readBody(pullBody, bytes(body)).returnImmediately)).toBe(waits));

  it.each([
    '',
    'x',
    '[]',
    '"x"',
    '{',
    '{}x',
    '{"maxMessages":true}',
    '{"maxMessages":[]}',
    '{"maxMessages":{}}',
    '{"maxMessages":1.5}',
    '{"maxMessages":1e3}',
    '{"returnImmediately":1}',
    '{"returnImmediately":[]}',
  ])('is malformed as %s', (body) => expect(() => readBody(pullBody, bytes(body))).toThrow(MalformedJson));
});

describe('The body of an acknowledgement', () => {
  it.each([
    [null, []],
    [{}, []],
    [{ ackIds: null }, []],
    [{ ackIds: [null] }, ['']],
    [{ other: 1, ACKIDS: ['a', 'b'] }, ['a', 'b']],
  ])('%j has the ids %j', (body, ackIds) => expect(readBody(acknowledgeBody, bytes(body))).toEqual({ ackIds }));

  it.each([
    '',
    'x',
    '[]',
    '"x"',
    '5',
    '{',
    '{}x',
    '{"ackIds":"x"}',
    '{"ackIds":{}}',
    '{"ackIds":5}',
    '{"ackIds":[5]}',
    '{"ackIds":[["x"]]}',
  ])('is malformed as %s', (body) => expect(() => readBody(acknowledgeBody, bytes(body))).toThrow(MalformedJson));
});

describe('The body with a new offset', () => {
  it.each([
    ['{}', '0'],
    ['null', '0'],
    ['{"offset":null}', '0'],
    ['{"OFFSET":7}', '7'],
    ['{"offset":3,"Offset":0}', '0'],
    ['{"offset":9007199254740993}', '9007199254740993'],
    ['{"offset":-9223372036854775808}', '-9223372036854775808'],
  ])('%s names %s', (body, offset) => expect(String(readBody(offsetBody, bytes(body)).offset)).toBe(offset));

  it.each([
    '',
    'x',
    '[]',
    '"x"',
    '{',
    '{}x',
    '{"offset":"1"}',
    '{"offset":1.0}',
    '{"offset":1e0}',
    '{"offset":true}',
    '{"offset":[1]}',
    '{"offset":9223372036854775808}',
  ])('is malformed as %s', (body) => expect(() => readBody(offsetBody, bytes(body))).toThrow(MalformedJson));
});

describe('An instant', () => {
  it.each(['2020-01-01T23:59:59.999Z', '2020-01-01 23:59:59.999Z'])('may be written as %j', (given) =>
    expect(instantIn(given)).toBe('2020-01-01T23:59:59.999Z'),
  );

  it('may have an hour of one digit', () => expect(instantIn('2020-01-01T3:59:59.999Z')).toBe('2020-01-01T03:59:59.999Z'));

  it.each([
    '',
    'x',
    '2020-01-01T003:00:00.000Z',
    '2020-01-01T:00:00.000Z',
    '2020-01-01',
    '2020-01-01T00:00:00Z',
    '2020-01-01T00:00:00.0Z',
    '2020-01-01T00:00:00.0000Z',
    '2020-01-01T00:00:00.000',
    '2020-01-01T00:00:00.000+00:00',
    '2020-01-01T00:00:00,000Z',
    '2020-02-30T00:00:00.000Z',
    '2020-13-01T00:00:00.000Z',
    '2020-01-01T24:00:00.000Z',
    '2020-01-01T00:60:00.000Z',
    '2020-01-01T00:00:60.000Z',
    ' 2020-01-01T00:00:00.000Z',
    '2020-01-01t00:00:00.000z',
  ])('must not be written as %j', (given) => expect(instantIn(given)).toBeUndefined());
});

describe('The target of a move', () => {
  it.each([
    ['2026-03-01T12:00:00.000000001Z', '2026-03-01T12:00:00.001Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is rounded up, within the years of four digits', (given, instant) => expect(soughtIn(given)).toBe(instant));
});
