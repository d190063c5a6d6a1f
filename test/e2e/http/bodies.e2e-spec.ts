import { beforeAll, describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { invalidProfile, malformed, nameTaken, pretty, profile, UNKNOWN_ID, weights } from '#test/e2e/status/contract.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { idOf, recordsOf, registerTenant } from '#test/support/status-client.js';

const key = 'bodies-admin';
const day = '?date=2020-01-01';

describe('request bodies of the status service', () => {
  const scene = serving(embedded);
  const known = { weights: '', operations_profiles: '' };
  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'bodies', ['admin']);
    known.weights = idOf(await scene.status.post(`/weights${day}`, { key, body: weights('known') }));
    known.operations_profiles = idOf(await scene.status.post(`/operations_profiles${day}`, { key, body: profile('known') }));
  });
  /** Creates weights from a body and returns how they read back, without id and date; the record is gone afterwards. */
  const readBack = async (body: string, headers = {}) => {
    const answer = await scene.status.post(`/weights${day}`, { key, body, headers });
    expect([body, answer.status, answer.text]).toEqual([body, 201, expect.any(String)]);
    const id = idOf(answer);
    const read = await scene.status.get(`/weights/${id}${day}`, { key });
    expect((await scene.status.delete(`/weights/${id}`, { key })).status).toBe(200);
    return read;
  };
  const membersOf = async (body: string, headers = {}) => {
    const { id: _id, date, ...members } = recordsOf(await readBack(body, headers))[0] ?? {};
    expect(date).toBe('2020-01-01');
    return members;
  };

  it.each([
    ['nothing', ''],
    ['blanks', ' \n'],
    ['no JSON', 'name=a'],
    ['cut JSON', '{"name":"a"'],
    ['garbage after the value', '{"name":"a"} x'],
    ['a second value', '{"name":"a"}{"name":"b"}'],
    ['a comma too many', '{"name":"a",}'],
    ['single quotes', "{'name':'a'}"],
    ['a comment', '{"name":"a"/**/}'],
    ['a control character in a string', '{"name":"a\nb"}'],
    ['a wrong escape', '{"name":"\\x"}'],
    ['a leading zero', '{"groups":[{"value":01}]}'],
    ['NaN', '{"groups":[{"value":NaN}]}'],
    ['an array', '[]'],
    ['an array of records', '[{"name":"a"}]'],
    ['a string', '"a"'],
    ['a number', '5'],
    ['a boolean', 'true'],
  ])('are refused by every write when they are %s', async (_what, body) => {
    for (const resource of ['weights', 'operations_profiles'] as const)
      for (const answer of [
        await scene.status.post(`/${resource}`, { key, body }),
        await scene.status.put(`/${resource}/${known[resource]}`, { key, body }),
      ])
        expect([answer.status, answer.text]).toEqual([400, pretty(malformed)]);
    expect((await scene.status.post('/admin/tenants', { key: ADMIN, body })).text).toBe(pretty(malformed));
  });

  it.each([
    ['weights', '{"name":5}'],
    ['weights', '{"name":{}}'],
    ['weights', '{"name":["a"]}'],
    ['weights', '{"weight_type":true}'],
    ['weights', '{"group_type":1}'],
    ['weights', '{"groups":{}}'],
    ['weights', '{"groups":"a"}'],
    ['weights', '{"groups":[5]}'],
    ['weights', '{"groups":[[]]}'],
    ['weights', '{"groups":[{"name":1}]}'],
    ['weights', '{"groups":[{"value":"1"}]}'],
    ['weights', '{"groups":[{"value":true}]}'],
    ['weights', '{"groups":[{"value":{}}]}'],
    ['weights', '{"groups":[{"value":1e400}]}'],
    ['weights', '{"NAME":5}'],
    ['weights', '{"name":5,"name":"a"}'],
    ['operations_profiles', '{"name":1}'],
    ['operations_profiles', '{"available_states":"OK"}'],
    ['operations_profiles', '{"available_states":[1]}'],
    ['operations_profiles', '{"available_states":[["OK"]]}'],
    ['operations_profiles', '{"defaults":[]}'],
    ['operations_profiles', '{"defaults":"OK"}'],
    ['operations_profiles', '{"defaults":{"down":1}}'],
    ['operations_profiles', '{"operations":{}}'],
    ['operations_profiles', '{"operations":[{"name":false}]}'],
    ['operations_profiles', '{"operations":[{"truth_table":{}}]}'],
    ['operations_profiles', '{"operations":[{"truth_table":["OK"]}]}'],
    ['operations_profiles', '{"operations":[{"truth_table":[{"a":1}]}]}'],
    ['operations_profiles', '{"operations":[{"truth_table":[{"x":{}}]}]}'],
    ['admin/tenants', '{"info":[]}'],
    ['admin/tenants', '{"info":{"name":5}}'],
    ['admin/tenants', '{"info":"name"}'],
    ['admin/tenants', '{"db_conf":{}}'],
    ['admin/tenants', '{"db_conf":[{"port":"5432"}]}'],
    ['admin/tenants', '{"db_conf":[{"port":1.5}]}'],
    ['admin/tenants', '{"topology":[]}'],
    ['admin/tenants', '{"topology":{"feed":1}}'],
    ['admin/tenants', '{"users":{}}'],
    ['admin/tenants', '{"users":[{"roles":"admin"}]}'],
    ['admin/tenants', '{"users":[{"roles":[1]}]}'],
    ['admin/tenants', '{"users":[{"api_key":5}]}'],
  ])('with a member of the wrong type are malformed: %s %s', async (resource, body) => {
    const answer = await scene.status.post(`/${resource}`, { key: resource.startsWith('admin') ? ADMIN : key, body });
    expect([answer.status, answer.text]).toEqual([400, pretty(malformed)]);
  });

  it('take what is left out or null for empty', async () => {
    const empty = { name: '', weight_type: '', group_type: '', groups: [] };
    for (const body of ['{}', 'null', '{"name":null,"weight_type":null,"group_type":null,"groups":null}', ' {"groups":[]}\n'])
      expect(await membersOf(body)).toEqual(empty);
    expect(await membersOf('{"groups":[{},{"name":null,"value":null}]}')).toEqual({
      ...empty,
      groups: [
        { name: '', value: 0 },
        { name: '', value: 0 },
      ],
    });
    const details = ['Down', 'Missing', 'Unknown'].map((which) => `Default ${which} State:  not in available States`);
    for (const body of ['{}', 'null', '{"defaults":null,"operations":null,"available_states":null}'])
      expect((await scene.status.post('/operations_profiles', { key, body })).text).toBe(pretty(invalidProfile(...details)));
  });

  it('ignore unknown members, ids and days', async () => {
    const body = `{"id":"${UNKNOWN_ID}","date":"1999-09-09","x":{"y":[1]},"__proto__":{"name":"p"},"constructor":1,"toString":null,"name":"n","groups":[{"name":"g","value":1,"extra":[]}]}`;
    const read = await readBack(body);
    const [record] = recordsOf(read);
    expect(record).toEqual({
      id: record?.id,
      date: '2020-01-01',
      name: 'n',
      weight_type: '',
      group_type: '',
      groups: [{ name: 'g', value: 1 }],
    });
    expect(record?.id).not.toBe(UNKNOWN_ID);
    expect(Object.keys(record ?? {})).toEqual(['id', 'date', 'name', 'weight_type', 'group_type', 'groups']);
    const replaced = await scene.status.put(`/operations_profiles/${known.operations_profiles}${day}`, {
      key,
      body: { ...profile('known'), id: UNKNOWN_ID, date: '1999-09-09' },
    });
    expect(replaced.status).toBe(200);
    const [same] = recordsOf(await scene.status.get(`/operations_profiles/${known.operations_profiles}`, { key }));
    expect([same?.id, same?.date]).toEqual([known.operations_profiles, '2020-01-01']);
  });

  it('take member names in any letter case, and the last of several', async () => {
    expect(await membersOf('{"NAME":"n","Weight_Type":"t","gROUPs":[{"Name":"g","VALUE":2}]}')).toMatchObject({
      name: 'n',
      weight_type: 't',
      groups: [{ name: 'g', value: 2 }],
    });
    expect(await membersOf('{"name":"first","name":"last"}')).toMatchObject({ name: 'last' });
    expect(await membersOf('{"name":"first","NAME":"last"}')).toMatchObject({ name: 'last' });
    expect(await membersOf('{"NAME":"first","name":"last"}')).toMatchObject({ name: 'last' });
    expect(await membersOf('{"n\\u0061me":"escaped"}')).toMatchObject({ name: 'escaped' });
  });

  it.each([
    ['1', '1'],
    ['1.0', '1'],
    ['5e0', '5'],
    ['1000000', '1000000'],
    ['0.1', '0.1'],
    ['-2.5', '-2.5'],
    ['-7', '-7'],
    ['0', '0'],
    ['1e21', '1e+21'],
    ['1E2', '100'],
    ['123456789012345680000', '123456789012345680000'],
    ['9007199254740993', '9007199254740992'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1e-7', '1e-7'],
  ])('keep the weight %s as %s', async (sent, received) => {
    expect((await readBack(`{"name":"number","groups":[{"name":"g","value":${sent}}]}`)).text).toContain(`\n     "value": ${received}\n`);
  });

  it.each([
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/json; charset=latin1',
    'garbage',
    ';;',
    '///',
    '/json; a=b',
    'text/, application/json',
    'Application/JSON ;;=',
    'application/octet-stream',
  ])('are JSON under the content type %s', async (type) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    expect(await membersOf('{"name":"typed é"}', headers)).toMatchObject({ name: 'typed é' });
    expect((await scene.status.delete(`/weights/${UNKNOWN_ID}`, { key, headers })).status).toBe(404);
    expect((await scene.status.get('/weights', { key, headers })).status).toBe(200);
  });

  it('may be as large as many megabytes, and need no length', async () => {
    const groups = Array.from({ length: 60_000 }, (_, index) => ({ name: `GROUP-${index}`, value: index }));
    const body = JSON.stringify({ name: 'large', groups });
    expect((await membersOf(body)).groups).toEqual(groups);
    const chunked = await scene.status.post(`/weights${day}`, {
      key,
      body: '{"name":"known"}',
      headers: { 'transfer-encoding': 'chunked' },
    });
    expect([chunked.status, chunked.text]).toEqual([409, pretty(nameTaken('weights'))]);
  });
});
