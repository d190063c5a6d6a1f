import { describe, expect, it } from '@jest/globals';
import { scanned } from '#api/shared/bodies/body-shape.js';
import { readMessages, requireBase64 } from './message-body.js';

const read = (json: string, lenient = false) => readMessages(scanned(Buffer.from(json)), lenient);
const one = (message: object) => read(JSON.stringify({ messages: [message] }));

const MALFORMED = { statusCode: 400 };
const TOO_LARGE = { statusCode: 413 };
const MIB = 1024 * 1024;

describe('The messages of a publish call', () => {
  it('are read without ids, times and unknown members, and without empty attributes', async () => {
    const json =
      '{"Messages":[{"messageId":"7","publishTime":"2000-01-01T00:00:00Z","DATA":"YQ==","other":[1],"attributes":{}}],"other":1}';
    expect(await read(json)).toEqual([{ data: 'YQ==' }]);
    expect(await one({ attributes: { a: '' } })).toEqual([{ data: '', attributes: { a: '' } }]);
    expect(await one({ data: 'YQ==', attributes: null })).toEqual([{ data: 'YQ==' }]);
  });

  it.each([
    '',
    ' ',
    'x',
    '[]',
    '"x"',
    'null',
    '{}',
    '{"messages":null}',
    '{"messages":[]}',
    '{"messages":{}}',
    '{"messages":"x"}',
    '{"messages":[{}]}',
    '{"messages":[null]}',
    '{"messages":[1]}',
    '{"messages":[{"data":""}]}',
    '{"messages":[{"data":null}]}',
    '{"messages":[{"attributes":{}}]}',
    '{"messages":[{"data":"","attributes":{}}]}',
    '{"messages":[{"data":"YQ=="},{"data":""}]}',
    '{"messages":[{"data":5}]}',
    '{"messages":[{"data":{"a":1}}]}',
    '{"messages":[{"data":"YQ==","attributes":[]}]}',
    '{"messages":[{"data":"YQ==","attributes":[{"key":"a","value":"b"}]}]}',
    '{"messages":[{"data":"YQ==","attributes":"x"}]}',
    '{"messages":[{"data":"YQ==","attributes":{"a":1}}]}',
    '{"messages":[{"data":"YQ==","attributes":{"a":{}}}]}',
    '{"messages":[{"data":"YQ==","messageId":1}]}',
    '{"messages":[{"data":"YQ==","publishTime":1}]}',
    '{"messages":[{"data":"YQ=="}]}x',
    '{"messages":[{"data":"YQ=="}]',
  ])('are malformed in %s', (json) => expect(read(json)).rejects.toMatchObject(MALFORMED));

  it.each([
    ['null', []],
    ['{}', []],
    ['{"messages":null}', []],
    ['{"messages":[]}', []],
    ['{"messages":[{},null,{"data":""},{"attributes":{}}]}', [{ data: '' }, { data: '' }, { data: '' }, { data: '' }]],
  ])('may be none, and empty, where that is taken: %s', async (json, messages) => expect(await read(json, true)).toEqual(messages));

  it('may have data of 10 MiB of text, and 16 MiB with attributes', async () => {
    const data = 'A'.repeat(10 * MIB);
    expect(await one({ data })).toHaveLength(1);
    await expect(one({ data: `${data}AAAA` })).rejects.toMatchObject(TOO_LARGE);
    expect(await one({ data, attributes: { ab: 'x'.repeat(6 * MIB - 2) } })).toHaveLength(1);
    await expect(one({ data, attributes: { ab: 'x'.repeat(6 * MIB - 1) } })).rejects.toMatchObject(TOO_LARGE);
  });

  it('may have 10,000 attributes each', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a${index}`, '']));
    expect(await one({ attributes })).toHaveLength(1);
    await expect(one({ attributes: { ...attributes, b: '' } })).rejects.toMatchObject(TOO_LARGE);
  });
});

describe('Strict base64', () => {
  it.each(['', 'YQ==', 'YWJj\r\nZGVm\n', '+/+/'])('is %j', async (data) => expect(await requireBase64([{ data }])).toBeUndefined());

  it.each(['msg 1', 'YQ', 'YQ=', 'YQ===', '=YQ=', 'Y-_=', 'é===', 'x'])('is not %j', (data) =>
    expect(requireBase64([{ data: 'YQ==' }, { data }])).rejects.toMatchObject(MALFORMED),
  );
});
