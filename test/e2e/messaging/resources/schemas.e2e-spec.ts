import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createProject,
  type ErrorLine,
  expectBody,
  expectEmpty,
  expectError,
  inProject,
  type ProjectCalls,
  WITH_TOKEN,
} from '#test/e2e/messaging/calls.js';
import { serving } from '#test/e2e/serving.js';
import { UUID } from '#test/e2e/status/contract.js';
import { deployments, embedded } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';

const MISSING: ErrorLine = "NOT_FOUND: Schema doesn't exist";
const TAKEN: ErrorLine = 'ALREADY_EXISTS: Schema already exists';
const BAD_ARGUMENTS: ErrorLine = 'INVALID_ARGUMENT: Invalid Schema Arguments';
const BAD_TYPE: ErrorLine = "INVALID_ARGUMENT: Schema type can only be 'json' or 'avro'";
const BAD_REFERENCE: ErrorLine = 'INVALID_ARGUMENT: wrong schema name declaration';
const BAD_BODY: ErrorLine = 'BAD_REQUEST: Invalid Request Body';
const BAD_PAYLOAD: ErrorLine = 'INVALID_ARGUMENT: Invalid Schema Payload Arguments';
const NO_PRIMITIVE: ErrorLine =
  'INVALID_ARGUMENT: has a primitive type that is NOT VALID -- given: /text/ Expected valid values are:[array boolean integer number null object string]';

/** JSON with one space per level (messaging contract 0.3). */
const j1 = (value: unknown): string => JSON.stringify(value, null, 1);
const VALID = { message: 'Message validated successfully' };

/** The schemas of messaging contract 5.6. */
const J = { type: 'object', properties: { id: { type: 'string' }, site: { type: 'string' } }, required: ['id', 'site'] };
const A = {
  type: 'record',
  name: 'Sample',
  namespace: 'demo',
  fields: [
    { name: 'site', type: 'string' },
    { name: 'count', type: 'int' },
  ],
};
/** As responses show them: keys in ascending order. */
const SHOWN_J = { properties: { id: { type: 'string' }, site: { type: 'string' } }, required: ['id', 'site'], type: 'object' };
const SHOWN_A = {
  fields: [
    { name: 'site', type: 'string' },
    { name: 'count', type: 'int' },
  ],
  name: 'Sample',
  namespace: 'demo',
  type: 'record',
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const uuidOf = ({ json }: Answer): string => (json as { uuid: string }).uuid;

describe.each(deployments)('schemas on %s', (_name, open) => {
  const scene = serving(open, WITH_TOKEN);

  it('are created, shown, renamed, changed, used, and deleted with their use', async () => {
    const p = await createProject(scene, 'p');
    const created = await p.post('/schemas/s', { type: 'JSON', schema: J, name: 'ignored', uuid: 'ignored' });
    const uuid = uuidOf(created);
    const shown = { uuid, name: 'projects/p/schemas/s', type: 'json', schema: SHOWN_J };
    expect(uuid).toMatch(UUID);
    expectBody(created, shown, j1);
    expectBody(await p.get('/schemas/s'), shown, j1);
    expectBody(await p.get('/schemas'), { schemas: [shown] }, j1);

    await p.topic('t', 'projects/p/schemas/s');
    const bad = { messages: [{ data: base64('{"id":"a","site":"b"}') }, { data: base64('{"id":"a"}') }] };
    expectError(await p.post('/topics/t:publish', bad), 'INVALID_ARGUMENT: Message 1 data is not valid,(root): site is required');
    expectBody(await p.post('/topics/t:publish', { messages: bad.messages.slice(0, 1) }), { messageIds: ['0'] });

    const renamed = { ...shown, name: 'projects/p/schemas/r' };
    expectBody(await p.put('/schemas/s', { name: 'projects/p/schemas/r' }), renamed, j1);
    expectError(await p.get('/schemas/s'), MISSING);
    expect((await p.get('/topics/t')).json).toMatchObject({ schema: 'projects/p/schemas/r' });
    expectError(await p.post('/topics/t:publish', bad), 'INVALID_ARGUMENT: Message 1 data is not valid,(root): site is required');

    expectBody(await p.put('/schemas/r', { type: 'avro', schema: A }), { ...renamed, type: 'avro', schema: SHOWN_A }, j1);
    expectBody(await p.post('/topics/t:publish', { messages: [{ data: 'BmFiYwI=' }] }), { messageIds: ['1'] });

    expectEmpty(await p.delete('/schemas/r'));
    expectError(await p.get('/schemas/r'), MISSING);
    expect((await p.get('/topics/t')).json).not.toHaveProperty('schema');
    expectBody(await p.post('/topics/t:publish', bad), { messageIds: ['2', '3'] });
    expectBody(await p.get('/schemas'), { schemas: [] }, j1);
  });
});

describe('schemas', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let p: ProjectCalls;
  let number = 0;
  const fresh = () => `s_${++number}-X`;
  /** Creates one and returns its name. */
  const given = async (type: 'json' | 'avro', schema: object): Promise<string> => {
    const name = fresh();
    expect((await p.post(`/schemas/${name}`, { type, schema })).status).toBe(200);
    return name;
  };

  beforeAll(async () => {
    p = await createProject(scene, 'p');
  });

  it('are listed in the order of their creation, per project', async () => {
    const q = await createProject(scene, 'q');
    expectBody(await q.get('/schemas'), { schemas: [] }, j1);
    for (const name of ['z', 'a', 'm']) expect((await q.post(`/schemas/${name}`, { type: 'json', schema: {} })).status).toBe(200);
    await q.put('/schemas/a', { name: 'projects/q/schemas/zz' });
    const names = ((await q.get('/schemas')).json as { schemas: { name: string }[] }).schemas.map(({ name }) => name);
    expect(names).toEqual(['projects/q/schemas/z', 'projects/q/schemas/zz', 'projects/q/schemas/m']);
  });

  it('show their keys in ascending byte order, and markup escaped', async () => {
    const schema = '{"b":{"10":1,"9":[],"Z":{}},"\\ufffd":"<&>","\\ud83d\\ude00":"\\u2028","a":1.0}';
    const created = await p.call('POST', '/schemas/ordered', `{"schema":${schema},"type":"json"}`);
    const shown = `{
 "uuid": "${uuidOf(created)}",
 "name": "projects/p/schemas/ordered",
 "type": "json",
 "schema": {
  "a": 1,
  "b": {
   "10": 1,
   "9": [],
   "Z": {}
  },
  "\ufffd": "\\u003c\\u0026\\u003e",
  "😀": "\\u2028"
 }
}`;
    expect([created.status, created.text]).toEqual([200, shown]);
    expect((await p.get('/schemas/ordered')).text).toBe(shown);
  });

  it.each<[string, ErrorLine]>([
    ['', BAD_ARGUMENTS],
    ['{', BAD_ARGUMENTS],
    ['{"type":5,"schema":{}}', BAD_ARGUMENTS],
    ['{"type":"json","schema":[]}', BAD_ARGUMENTS],
    ['{"type":"json","schema":{"minimum":1e999}}', BAD_ARGUMENTS],
    [`{"type":"json","schema":${'{"not":'.repeat(1_001)}{}${'}'.repeat(1_001)}}`, BAD_ARGUMENTS],
    ['{"schema":{}}', BAD_TYPE],
    ['{"type":"","schema":{}}', BAD_TYPE],
    ['{"type":"xml","schema":{}}', BAD_TYPE],
    ['{"type":"json "}', BAD_TYPE],
    ['{}', BAD_TYPE],
    ['null', BAD_TYPE],
    ['{"type":"json"}', 'INVALID_ARGUMENT: schema is invalid'],
    ['{"type":"json","schema":null}', 'INVALID_ARGUMENT: schema is invalid'],
    ['{"type":"avro"}', 'INVALID_ARGUMENT: schema is invalid'],
    ['{"type":"json","schema":{"type":"text"}}', NO_PRIMITIVE],
    ['{"type":"avro","schema":{"type":"text"}}', 'INVALID_ARGUMENT: unknown type name: "text"'],
    ['{"type":"avro","schema":{"name":"R"}}', 'INVALID_ARGUMENT: missing type: {"name":"R"}'],
  ])('are not created by %.60s; that the name is taken counts before type and document', async (body, line) => {
    const name = fresh();
    expectError(await p.post(`/schemas/${name}`, body), line);
    expectError(await p.get(`/schemas/${name}`), MISSING);
    await p.schema(name);
    expectError(await p.post(`/schemas/${name}`, body), line === BAD_ARGUMENTS ? BAD_ARGUMENTS : TAKEN);
  });

  it.each<[object, RegExp]>([
    [{ type: 'json', schema: { minLength: 3, maxLength: 1 } }, /^minLength cannot be greater than maxLength$/],
    [{ type: 'avro', schema: { type: 'record', name: 'R', fields: [{ name: 'f' }] } }, /^missing type: \{"name":"f"\}$/],
    [{ type: 'json', schema: { description: 'x'.repeat(1024 * 1024) } }, /longer than 1048576 characters/],
  ])('are refused if they do not compile: %#', async (body, message) => {
    const answer = await p.post(`/schemas/${fresh()}`, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ error: { code: 400, message: expect.stringMatching(message), status: 'INVALID_ARGUMENT' } });
  });

  it.each([
    '{"TYPE":"Json","Schema":{}} trailing',
    '{"type":"avro","type":"json","schema":{"type":"string"},"schema":{}}',
    '{"type":"json","schema":{}}{}',
  ])('are created by %s', async (body) => {
    const name = fresh();
    const created = await p.post(`/schemas/${name}`, body);
    expectBody(created, { uuid: uuidOf(created), name: `projects/p/schemas/${name}`, type: 'json', schema: {} }, j1);
  });

  it('are not created twice, but a repeat of the Idempotency-Key gets the first answer', async () => {
    const name = fresh();
    const body = { type: 'json', schema: J };
    const first = await p.post(`/schemas/${name}`, body, { 'idempotency-key': 'once' });
    const second = await p.post(`/schemas/${name}`, body, { 'idempotency-key': 'once' });
    expect([second.status, second.text]).toEqual([200, first.text]);
    expectError(await p.post(`/schemas/${name}`, body), TAKEN);
    expect((await p.post(`/schemas/${name}`, { ...body, schema: {} }, { 'idempotency-key': 'once' })).status).toBe(422);
  });

  it('keep what an update leaves out', async () => {
    const name = await given('json', J);
    const shown = (await p.get(`/schemas/${name}`)).text;
    for (const body of [
      '{}',
      'null',
      '{"name":"","type":"","schema":{}}',
      '{"schema":null}',
      `{"name":"projects/p/schemas/${name}"}`,
      '{"type":"JSON"} x',
    ])
      expect([body, (await p.put(`/schemas/${name}`, body)).text]).toEqual([body, shown]);
    expect((await p.get(`/schemas/${name}`)).text).toBe(shown);
  });

  it.each<[string, ErrorLine]>([
    ['', BAD_ARGUMENTS],
    ['[]', BAD_ARGUMENTS],
    ['{"schema":[]}', BAD_ARGUMENTS],
    ['{"name":5}', BAD_ARGUMENTS],
    ['{"name":"new","type":"xml"}', BAD_REFERENCE],
    ['{"name":"projects/p/schemas/new/x"}', BAD_REFERENCE],
    [`{"name":"projects/p/schemas/${'x'.repeat(1_025)}"}`, 'INVALID_ARGUMENT: Invalid schema name'],
    ['{"name":"projects/p/schemas/taken","type":"xml"}', TAKEN],
    ['{"type":"xml","schema":{"type":"text"}}', BAD_TYPE],
    ['{"schema":{"type":"text"}}', NO_PRIMITIVE],
    ['{"type":"avro"}', 'INVALID_ARGUMENT: unknown type name: "object"'],
    ['{"type":"avro","schema":{"type":"text"}}', 'INVALID_ARGUMENT: unknown type name: "text"'],
  ])('are not changed by %s', async (body, line) => {
    if ((await p.get('/schemas/taken')).status === 404) await p.schema('taken');
    expectError(await p.put(`/schemas/${fresh()}`, body), MISSING);
    const name = await given('json', J);
    const shown = (await p.get(`/schemas/${name}`)).text;
    expectError(await p.put(`/schemas/${name}`, body), line);
    expect((await p.get(`/schemas/${name}`)).text).toBe(shown);
  });

  it('may be renamed as in the original: to any text, by a reference that names any project', async () => {
    const name = await given('json', J);
    const renamed = await p.put(`/schemas/${name}`, { name: 'projects/q/schemas/a, b' });
    expect(renamed.json).toMatchObject({ name: 'projects/p/schemas/a, b' });
    expect((await p.get('/schemas')).text).toContain('projects/p/schemas/a, b');
    expectError(await p.get('/schemas/a,%20b'), 'INVALID_ARGUMENT: Invalid schema name');
  });

  it('are compiled again when only the type changes', async () => {
    const name = await given('json', { type: 'string' });
    expect((await p.put(`/schemas/${name}`, { type: 'AVRO' })).json).toMatchObject({ type: 'avro', schema: { type: 'string' } });
    expectBody(await p.post(`/schemas/${name}:validate`, { data: base64('\u0002a') }), VALID, j1);
  });

  it('follow the name of their project', async () => {
    const old = await createProject(scene, 'before');
    await old.schema('s');
    await old.put('', { name: 'after' });
    expect((await inProject(scene, 'after').get('/schemas/s')).json).toMatchObject({ name: 'projects/after/schemas/s' });
  });

  it.each([
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', ':validate'],
  ])('are not found if they do not exist: %s %s', async (method, verb) => {
    expectError(await p.call(method, `/schemas/none${verb}`, '{'), MISSING);
    expectError(await p.call(method, `/schemas/a.b${verb}`), 'INVALID_ARGUMENT: Invalid schema name');
  });

  it('validate the body itself as a json message', async () => {
    const name = await given('json', J);
    const validate = (body: string) => p.post(`/schemas/${name}:validate`, body);
    expectBody(await validate('{"id":"s1","site":"GR"}'), VALID, j1);
    expectError(await validate(''), 'INVALID_ARGUMENT: Message 0 data is not valid JSON format,EOF');
    expectError(await validate('{"id":'), 'INVALID_ARGUMENT: Message 0 data is not valid JSON format,unexpected EOF');
    expectError(
      await validate('hello'),
      "INVALID_ARGUMENT: Message 0 data is not valid JSON format,invalid character 'h' looking for beginning of value",
    );
    expectError(
      await validate('{} {}'),
      "INVALID_ARGUMENT: Message 0 data is not valid JSON format,invalid character '{' after top-level value",
    );
    expectError(await validate('{"id":"s1"}'), 'INVALID_ARGUMENT: Message 0 data is not valid,(root): site is required');
    expectError(
      await validate('{"id":7}'),
      'INVALID_ARGUMENT: Message 0 data is not valid.1)(root): site is required.2)id: Invalid type. Expected: string, given: integer.',
    );
    expectError(
      await validate('{"data":"eyJpZCI6InMxIiwic2l0ZSI6IkdSIn0="}'),
      'INVALID_ARGUMENT: Message 0 data is not valid.1)(root): id is required.2)(root): site is required.',
    );
  });

  it.each<[string, ErrorLine | undefined]>([
    ['{"data":"BmFiYwI="}', undefined],
    ['{"data":"BmFi\\nYwI=","other":"x"}', undefined],
    ['{"DATA":"BmFiYwI="}', undefined],
    ['', BAD_BODY],
    ['BmFiYwI=', BAD_BODY],
    ['[]', BAD_BODY],
    ['{"data":5}', BAD_BODY],
    ['{"data":"BmFiYwI=","other":5}', BAD_BODY],
    ['{"data":"BmFiYwI="} x', BAD_BODY],
    ['{}', BAD_PAYLOAD],
    ['{"other":"BmFiYwI="}', BAD_PAYLOAD],
    ...['{"data":null}', '{"data":"BmFiYwI=","data":null}'].map((body): [string, ErrorLine] => [
      body,
      'INVALID_ARGUMENT: Message 0 is not valid.cannot decode binary record "demo.Sample" field "site": cannot decode binary string: cannot decode binary bytes: short buffer',
    ]),
    ['{"data":"BmFiYwI"}', 'INVALID_ARGUMENT: Message 0 is not in valid base64 enocding,illegal base64 data at input byte 4'],
    [
      '{"data":""}',
      'INVALID_ARGUMENT: Message 0 is not valid.cannot decode binary record "demo.Sample" field "site": cannot decode binary string: cannot decode binary bytes: short buffer',
    ],
    ['{"data":"BmFiYwIA"}', 'INVALID_ARGUMENT: Message 0 is not valid.1 bytes left over after the datum'],
  ])('validate an avro message in base64: %s', async (body, line) => {
    const answer = await p.post(`/schemas/${await given('avro', A)}:validate`, body);
    if (line) expectError(answer, line);
    else expectBody(answer, VALID, j1);
  });
});

describe('messages to a topic with a schema', () => {
  const scene = serving(embedded, WITH_TOKEN);
  let p: ProjectCalls;

  beforeAll(async () => {
    p = await createProject(scene, 'p');
    await p.post('/schemas/j', { type: 'json', schema: J });
    await p.post('/schemas/a', { type: 'avro', schema: A });
    await p.topic('j', 'projects/p/schemas/j');
    await p.topic('a', 'projects/p/schemas/a');
  });

  /** Messaging contract 5.6, and what surrounds it. */
  it.each<[topic: string, message: object, line: ErrorLine]>([
    ['j', { data: 'eyJpZCI6InMxIn0=' }, 'INVALID_ARGUMENT: Message 0 data is not valid,(root): site is required'],
    [
      'j',
      { data: 'eyJpZCI6N30=' },
      'INVALID_ARGUMENT: Message 0 data is not valid.1)(root): site is required.2)id: Invalid type. Expected: string, given: integer.',
    ],
    ['j', { data: 'eyJpZCI6' }, 'INVALID_ARGUMENT: Message 0 data is not valid JSON format,unexpected EOF'],
    ['j', { attributes: { a: 'b' } }, 'INVALID_ARGUMENT: Message 0 data is not valid JSON format,EOF'],
    ['j', { data: 'msg 1' }, 'INVALID_ARGUMENT: Message 0 is not in valid base64 enocding,illegal base64 data at input byte 3'],
    [
      'a',
      { attributes: { a: 'b' } },
      'INVALID_ARGUMENT: Message 0 is not valid.cannot decode binary record "demo.Sample" field "site": cannot decode binary string: cannot decode binary bytes: short buffer',
    ],
    ['a', { data: 'BmFiYwIA' }, 'INVALID_ARGUMENT: Message 0 is not valid.1 bytes left over after the datum'],
  ])('are refused on topic %s: %j', async (topic, message, line) =>
    expectError(await p.post(`/topics/${topic}:publish`, { messages: [message] }), line),
  );

  it('are stored all or none; the error is that of the first invalid one', async () => {
    const good = { data: base64('{"id":"s1","site":"GR"}') };
    await p.subscription('s', 'j');
    const messages = [good, { data: '$' }, { data: base64('{') }];
    expectError(
      await p.post('/topics/j:publish', { messages }),
      'INVALID_ARGUMENT: Message 1 is not in valid base64 enocding,illegal base64 data at input byte 0',
    );
    expectError(
      await p.post('/topics/j:publish', { messages: [good, messages[2]] }),
      'INVALID_ARGUMENT: Message 1 data is not valid JSON format,unexpected EOF',
    );
    expectBody(await p.post('/topics/j:publish', { messages: [good] }), { messageIds: ['0'] });
    expect((await p.get('/subscriptions/s:offsets')).json).toMatchObject({ max: 1 });
    expectBody(await p.post('/topics/a:publish', { messages: [{ data: 'BmFiYwI=' }] }), { messageIds: ['0'] });
  });

  it('are validated against the schema that is currently attached', async () => {
    await p.topic('t');
    const wrong = { messages: [{ data: base64('{}') }] };
    expect((await p.post('/topics/t:publish', wrong)).status).toBe(200);
    expectEmpty(await p.post('/topics/t:attachSchema', { schema: 'projects/p/schemas/j' }));
    expect((await p.post('/topics/t:publish', wrong)).status).toBe(400);
    await p.put('/schemas/j', { schema: { type: 'object' } });
    expect((await p.post('/topics/t:publish', wrong)).status).toBe(200);
    await p.put('/schemas/j', { schema: J });
    expect((await p.post('/topics/t:publish', wrong)).status).toBe(400);
    expectEmpty(await p.post('/topics/t:detachSchema'));
    expect((await p.post('/topics/t:publish', wrong)).status).toBe(200);
  });
});
