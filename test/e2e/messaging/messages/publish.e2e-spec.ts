import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createProject, expectBody, expectError, inProject, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { base64, expectTooLarge, texts, trafficOf } from '#test/e2e/messaging/traffic/traffic.js';
import { serving } from '#test/e2e/serving.js';
import { expectRecent } from '#test/e2e/this-suite.js';
import { embedded } from '#test/support/deployments.js';
import { forAny } from '#test/support/for-any.js';
import { jsonSchema, jsonValue } from '#test/support/messaging/json-schemas.js';
import type { Answer } from '#test/support/status-client.js';
import { runs } from '#test/support/test-runs.js';

const MALFORMED = 'INVALID_ARGUMENT: Invalid Message Arguments';
const FORBIDDEN = 'FORBIDDEN: Access to this resource is forbidden';
const LARGEST = 10 * 1024 * 1024;

describe('Publishing', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let p: ProjectCalls;
  const { prepare, publish, pull, pullTexts, offsets } = trafficOf(() => p);
  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await p.topic('t');
  });

  it('answers the offsets of the messages as their ids', async () => {
    await p.topic('ids');
    expectBody(await p.post('/topics/ids:publish', { messages: texts('a') }), { messageIds: ['0'] });
    expectBody(await p.post('/topics/ids:publish', { messages: texts('b', 'c') }), { messageIds: ['1', '2'] });
  });

  it('judges any message by any schema, as :validate does, and never fails', async () => {
    await p.schema('any');
    await p.topic('any', 'projects/p/schemas/any');
    const errorOf = ({ status, json }: Answer) => [status, (json as { error?: { message: string } }).error?.message];
    await forAny(runs(40), jsonSchema, fc.array(jsonValue, { minLength: 1, maxLength: 3 }), async (schema, values) => {
      const taken = await p.put('/schemas/any', JSON.stringify({ schema }));
      expect([200, 400]).toContain(taken.status);
      for (const value of values) {
        const message = JSON.stringify(value);
        const validated = errorOf(await p.post('/schemas/any:validate', message));
        expect([200, 400]).toContain(validated[0]);
        expect(errorOf(await p.post('/topics/any:publish', { messages: [{ data: base64(message) }] }))).toEqual(validated);
      }
    });
  });

  it('brings every message to its subscribers as it was sent', async () => {
    await prepare('content');
    const attributes = {
      site: 'GR',
      '': 'empty',
      é: '日本 🎉',
      'quo"te': '<a href="x">\\&\u2028\u0001',
      __proto__x: 'x',
      '10': 'ten',
      '9': 'nine',
    };
    const sent = [
      { data: base64('plain') },
      { data: base64('both'), attributes },
      { attributes: { only: '' } },
      { data: '', attributes: { only: 'attributes' } },
      { data: base64('none'), attributes: {} },
      { data: 'YWJj\r\nZGVm\n', attributes: null },
    ];
    expect(await publish('content', sent)).toEqual(['0', '1', '2', '3', '4', '5']);
    const received = await pull('content');
    expect(received.map(({ message: { publishTime: _publishTime, ...message } }) => message)).toEqual([
      { messageId: '0', data: base64('plain') },
      { messageId: '1', attributes, data: base64('both') },
      { messageId: '2', attributes: { only: '' }, data: '' },
      { messageId: '3', attributes: { only: 'attributes' }, data: '' },
      { messageId: '4', data: base64('none') },
      { messageId: '5', data: 'YWJj\r\nZGVm\n' },
    ]);
    for (const { message } of received) {
      expect(Object.keys(message).filter((key) => key !== 'attributes')).toEqual(['messageId', 'data', 'publishTime']);
      expect(message.publishTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,8}[1-9])?Z$/);
      expectRecent(message.publishTime);
    }
  });

  it('sets ids and times itself, and ignores what it does not know', async () => {
    await prepare('overwritten');
    const message = { messageId: '77', publishTime: '2000-01-01T00:00:00Z', DATA: base64('x'), unknown: { a: [1] } };
    expectBody(await p.post('/topics/overwritten:publish', { Messages: [message], other: 1 }), { messageIds: ['0'] });
    const [received] = await pull('overwritten');
    expect(received?.message).toMatchObject({ messageId: '0', data: base64('x') });
    expect(received?.message.publishTime.startsWith('2000')).toBe(false);
  });

  it('needs no content type, and takes the key from the query', async () => {
    const answer = await p.call('POST', '/topics/t:publish?key=messaging-service-token', { messages: texts('a') }, { key: '' });
    expect(answer.status).toBe(200);
    const typed = await p.post('/topics/t:publish', { messages: texts('a') }, { 'content-type': 'text/plain' });
    expect(typed.status).toBe(200);
  });

  it.each(['', '{"messages":[{"data":""}]}', '{"messages":[{"data":"msg 1"}]}'])('refuses %s', async (body) =>
    expectError(await p.post('/topics/t:publish', body), MALFORMED),
  );

  it('stores nothing of a call that it refuses', async () => {
    await prepare('nothing');
    for (const bad of [{}, { data: '!' }, { data: 'A'.repeat(LARGEST + 4) }]) {
      const answer = await p.post('/topics/nothing:publish', { messages: [...texts('good'), bad] });
      expect([400, 413]).toContain(answer.status);
    }
    expect(await offsets('nothing')).toEqual({ max: 0, min: 0, current: 0 });
  });

  it('accepts data of 10 MiB as base64 text, and no more', async () => {
    await prepare('large');
    const largest = 'A'.repeat(LARGEST);
    expectTooLarge(await p.post('/topics/large:publish', { messages: [{ data: `${largest}AAAA` }] }));
    expectTooLarge(await p.post('/topics/large:publish', { messages: [...texts('a'), { data: `${largest}!` }] }));
    expect(await publish('large', [{ data: largest }])).toEqual(['0']);
    expect(await publish('large', [{ data: largest.slice(4) }, ...texts('small'), { data: largest }])).toEqual(['1', '2', '3']);
    expect(await pullTexts('large', {})).toHaveLength(1);
    const together = await pull('large', { maxMessages: '10' });
    expect(together.map(({ message }) => message.data.length)).toEqual([LARGEST, LARGEST - 4]);
  });

  it('stores all messages of a call with 10,000 of them', async () => {
    await prepare('many');
    const many = Array.from({ length: 10_000 }, (_, index) => ({ data: base64(`${index}`) }));
    const published = await p.post('/topics/many:publish', { messages: many });
    expect((published.json as { messageIds: readonly string[] }).messageIds.at(-1)).toBe('9999');
    expect(await offsets('many')).toMatchObject({ max: 10_000 });
    const refused = await p.post('/topics/many:publish', { messages: [...many, ...texts('x')] });
    expect([refused.status, (refused.json as { error: object }).error]).toEqual([
      413,
      { code: 413, message: 'A publish call has at most 10,000 messages', status: 'INVALID_ARGUMENT' },
    ]);
    await publish('many', texts('x'));
    expect(await pull('many', { maxMessages: '9999' })).toHaveLength(9_999);
    expect(await pull('many', { maxMessages: '10000' })).toHaveLength(10_000);
    expect(await pull('many', { maxMessages: '10001' })).toHaveLength(10_000);
  });

  it('refuses a body above 64 MiB as too large, also one that never comes', async () =>
    expectTooLarge(await p.post('/topics/t:publish', '{', { 'content-length': String(64 * 1024 * 1024 + 1) })));

  it('answers clients that send such a body nevertheless', async () => {
    const body = 'x'.repeat(80 * 1024 * 1024);
    for (const connection of ['close', 'keep-alive', 'close', 'keep-alive'].slice(0, runs(4, 2)))
      expectTooLarge(await p.post('/topics/t:publish', body, { connection }));
    expectTooLarge(await p.post('/topics/t:publish', body, { 'transfer-encoding': 'chunked' }));
  });

  it('checks the topic, then the ACL, then the body', async () => {
    const publisher = inProject(scene, 'p', await p.member('pub', 'publisher'));
    const consumer = inProject(scene, 'p', await p.member('con', 'consumer'));
    expectError(await p.post('/topics/missing:publish', 'x'), "NOT_FOUND: Topic doesn't exist");
    expectError(await publisher.post('/topics/missing:publish', 'x'), "NOT_FOUND: Topic doesn't exist");
    expectError(await publisher.post('/topics/t:publish', 'x'), FORBIDDEN);
    expectError(await consumer.post('/topics/missing:publish', 'x'), FORBIDDEN);
    expectError(await p.post('/topics/T.1:publish', 'x'), 'INVALID_ARGUMENT: Invalid topic name');
    expectError(await p.call('POST', '/topics/t:publish', 'x', { key: 'nobody' }), 'UNAUTHORIZED: Unauthorized');
    await p.post('/topics/t:modifyAcl', { authorized_users: ['pub'] });
    expectError(await publisher.post('/topics/t:publish', 'x'), MALFORMED);
    expect((await publisher.post('/topics/t:publish', { messages: texts('a') })).status).toBe(200);
  });

  it('is open to administrators who are publishers, too, without an ACL', async () => {
    const both = inProject(scene, 'p', await p.member('both', 'publisher', 'project_admin'));
    await p.topic('unlisted');
    expect((await both.post('/topics/unlisted:publish', { messages: texts('a') })).status).toBe(200);
  });

  it('gives each message its own id, however many clients publish at once', async () => {
    await prepare('crowd');
    const calls = Array.from({ length: 40 }, (_, call) => publish('crowd', texts(`${call}.0`, `${call}.1`, `${call}.2`)));
    const ids = (await Promise.all(calls)).map((one) => one.map(Number));
    expect(ids.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, id) => id));
    const stored = await pullTexts('crowd');
    for (const [call, [first = -1, ...others]] of ids.entries()) {
      expect(others).toEqual([first + 1, first + 2]);
      expect(stored.slice(first, first + 3)).toEqual([`${call}.0`, `${call}.1`, `${call}.2`]);
    }
  });

  it('happens once under an idempotency key, also after a restart', async () => {
    await prepare('keyed');
    const send = (messages: readonly object[], key = 'once') => p.post('/topics/keyed:publish', { messages }, { 'idempotency-key': key });
    const answers = await Promise.all([1, 2, 3].map(() => send(texts('a', 'b'))));
    for (const answer of [...answers, await send(texts('a', 'b'))]) expectBody(answer, { messageIds: ['0', '1'] });
    await publish('keyed', texts('c'));
    expect((await send(texts('a', 'b', 'c'))).status).toBe(422);
    expectBody(await send(texts('a', 'b'), 'other'), { messageIds: ['3', '4'] });
    await scene.restart();
    expectBody(await send(texts('a', 'b')), { messageIds: ['0', '1'] });
    expect(await offsets('keyed')).toMatchObject({ max: 5 });
  });

  it('keeps messages of a topic that nobody subscribes to; later subscribers do not get them', async () => {
    await p.topic('alone');
    await publish('alone', texts('unheard'));
    await p.subscription('alone', 'alone');
    expect(await pullTexts('alone')).toEqual([]);
    expect(await offsets('alone')).toEqual({ max: 1, min: 0, current: 1 });
    await publish('alone', texts('heard'));
    expect(await pullTexts('alone')).toEqual(['heard']);
  });

  it('begins at 0 again when the topic is created anew, and its subscriptions with it', async () => {
    await prepare('anew');
    await publish('anew', texts('a', 'b', 'c'));
    await pull('anew');
    await p.delete('/topics/anew');
    expectError(await p.post('/topics/anew:publish', { messages: texts('x') }), "NOT_FOUND: Topic doesn't exist");
    await p.topic('anew');
    expect(await publish('anew', texts('d', 'e'))).toEqual(['0', '1']);
    expect(await offsets('anew')).toEqual({ max: 2, min: 0, current: 0 });
    expect(await pullTexts('anew')).toEqual(['d', 'e']);
  });

  it('keeps topics of one name in several projects apart', async () => {
    const q = await createProject(scene, 'q');
    await q.topic('t');
    expectBody(await q.post('/topics/t:publish', { messages: texts('q') }), { messageIds: ['0'] });
  });

  it('checks all messages before it validates any against the schema of the topic', async () => {
    await p.schema('s');
    await p.topic('validated', 'projects/p/schemas/s');
    const bad = { data: base64('[]') };
    expectError(await p.post('/topics/validated:publish', { messages: [bad, {}] }), MALFORMED);
    expectTooLarge(await p.post('/topics/validated:publish', { messages: [bad, { data: 'A'.repeat(LARGEST + 4) }] }));
  });
});

describe.each([
  ['LOGBOOK_MESSAGING_LENIENT', 'true'],
  ['LOGBOOK_MESSAGING_STRICT_BASE64', 'false'],
])('Publishing with %s=%s', (variable, value) => {
  const scene = serving(embedded, { ...WITH_TOKEN, [variable]: value });

  it('accepts any text', async () => {
    const p = await createProject(scene, 'p');
    const { prepare, publish, pull } = trafficOf(() => p);
    await prepare('t');
    const data = ['msg 1', '<é"\n\u2028>', '{"a":1}'];
    await publish(
      't',
      data.map((text) => ({ data: text })),
    );
    expect((await pull('t')).map(({ message }) => message.data)).toEqual(data);
    expectTooLarge(await p.post('/topics/t:publish', { messages: [{ data: 'é'.repeat(LARGEST / 2 + 1) }] }));
  });

  it('accepts calls without messages, and empty messages, as the original does', async () => {
    const p = await createProject(scene, 'q');
    const { prepare, pull } = trafficOf(() => p);
    await prepare('t');
    for (const body of ['{}', 'null', '{"messages":null}', '{"messages":[]}'])
      expectBody(await p.post('/topics/t:publish', body), { messageIds: [] });
    expectBody(await p.post('/topics/t:publish', '{"messages":[{},{"data":"","attributes":{}}]}'), { messageIds: ['0', '1'] });
    expect((await pull('t')).map(({ message }) => message)).toEqual(
      ['0', '1'].map((messageId) => ({ messageId, data: '', publishTime: expect.any(String) })),
    );
    for (const body of ['', '[]', '{"messages":{}}', '{"messages":[{"data":5}]}'])
      expectError(await p.post('/topics/t:publish', body), MALFORMED);
  });
});
