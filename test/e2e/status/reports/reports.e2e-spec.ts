import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '#test/e2e/expect-error.js';
import { serving } from '#test/e2e/serving.js';
import { listOf, malformed, messageOf, pretty, UNKNOWN_ID, UTF8_JSON, UUID } from '#test/e2e/status/contract.js';
import { ADMIN, deployments, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { idOf, recordsOf, registerTenant } from '#test/support/status-client.js';
import { COMPUTATIONS, callsOf, createProfiles, type ProfileType, recordLike, report, THRESHOLDS, taken } from './reports.js';

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

describe.each(deployments)('reports on %s', (_name, open) => {
  const scene = serving(open);

  it('are created, read, replaced and deleted, and survive a restart', async () => {
    await registerTenant(scene.status, ADMIN, 'journey', ['admin']);
    const reports = callsOf(() => scene.status, 'journey-admin');
    const ids = await createProfiles(scene.status, 'journey-admin', 'p <1>');
    const profiles = Object.entries(ids).map(([type, id]) => ({ id, type }));
    const topology_schema = { group: { type: 'PROJECT', group: { type: 'SITES' } } };
    const filter_tags = [{ name: 'n', value: 'v' }];

    const creation = await reports.post(report('first', { profiles, topology_schema, filter_tags }));
    const id = idOf(creation);
    const self = `http://${new URL(scene.server.url).host}/api/v2/reports/${id}`;
    expect(id).toMatch(UUID);
    expect([creation.status, creation.text]).toEqual([
      201,
      pretty({ status: { message: 'Successfully Created Report', code: '201' }, data: { id, links: { self } } }),
    ]);
    const named = profiles.map(({ id, type }) => ({ id, name: 'p <1>', type }));
    const read = await reports.one(id);
    const stored = recordLike(read, id, 'journey', {
      name: 'first',
      profiles: named,
      topology_schema,
      filter_tags: [{ name: 'n', value: 'v', context: '' }],
    });
    expect([read.status, read.text]).toEqual([200, pretty(listOf(stored))]);
    expect(await scene.restart()).toBe(0);
    expect((await reports.list()).text).toBe(read.text);

    const update = await reports.put(id, report('second'));
    expect([update.status, update.text]).toEqual([200, pretty(messageOf('Report was successfully updated'))]);
    const replaced = await reports.one(id);
    expect(replaced.text).toBe(pretty(listOf(recordLike(replaced, id, 'journey', { name: 'second', thresholds: null }))));
    const deletion = await reports.remove(id);
    expect([deletion.status, deletion.text]).toEqual([200, pretty(messageOf('Report was successfully deleted'))]);
    expect((await reports.list()).text).toBe(pretty(listOf()));
    expectError(await reports.one(id), 'not found');
  });
});

describe('reports', () => {
  const scene = serving(embedded);
  const key = 'reports-admin';
  const reports = callsOf(() => scene.status, key);
  let ids: Readonly<Record<ProfileType, string>> = { metric: '', operations: '', aggregation: '', thresholds: '', weights: '' };
  let names = 0;
  const name = () => `report ${++names}`;
  /** What a report created from the body reads as, without id and tenant. */
  const readBack = async (changes: object) => {
    const answer = await reports.one(idOf(await reports.post(report(name(), changes))));
    const { id: _id, tenant: _tenant, info: _info, ...members } = recordsOf(answer)[0] ?? {};
    return members;
  };

  beforeAll(async () => {
    await registerTenant(scene.status, ADMIN, 'reports', ['admin', 'editor', 'viewer', 'admin_ui']);
    ids = await createProfiles(scene.status, key, 'stored');
  });

  it('answer JSON under Accept: application/xml, and errors in XML', async () => {
    const body = report(name());
    const xml = { key, accept: 'application/xml' };
    const created = await scene.status.post('/reports', { ...xml, body });
    for (const answer of [created, await scene.status.get('/reports', xml), await scene.status.get(`/reports/${idOf(created)}`, xml)])
      expect(answer.headers.get('content-type')).toBe(UTF8_JSON);
    const refused = await scene.status.post('/reports', { ...xml, body: report(name(), { profiles: [{ id: 'x', type: 'weights' }] }) });
    const item =
      '<message>Profile id not found</message>\n   <code>422</code>\n   <details>No profile in weights was found with id x</details>';
    const status = '<status>\n  <message>Unprocessable Entity</message>\n  <code>422</code>\n </status>';
    expect([refused.status, refused.text]).toEqual([
      422,
      `<root>\n ${status}\n <errors>\n  <error>\n   ${item}\n  </error>\n </errors>\n</root>`,
    ]);
  });

  it.each(['', '{"topology_schema":{"group":{"type":1}}}'])('are refused if the body is malformed: %s', async (body) => {
    for (const answer of [await reports.post(body), await reports.put(UNKNOWN_ID, body)])
      expect([answer.status, answer.text]).toEqual([400, pretty(malformed)]);
  });

  it('get defaults for members that are absent or null', async () => {
    const empty = {
      disabled: false,
      computations: COMPUTATIONS,
      thresholds: THRESHOLDS,
      topology_schema: {},
      profiles: [],
      filter_tags: [],
    };
    expect(await readBack({})).toEqual(empty);
    const nothing = { weight: null, computations: null, thresholds: null, topology_schema: null, profiles: null, filter_tags: null };
    expect(await readBack(nothing)).toEqual(empty);
    expect(await readBack({ computations: {}, thresholds: {}, weight: '', disabled: null, filter_tags: [{}] })).toEqual({
      ...empty,
      computations: { ar: false, status: false, trends: [] },
      thresholds: { availability: 0, reliability: 0, uptime: 0, unknown: 0, downtime: 0 },
      filter_tags: [{ name: '', value: '', context: '' }],
    });
    expect(
      await readBack({
        weight: 'hepspec',
        disabled: true,
        computations: { status: true, trends: ['tags', 'tags'] },
        thresholds: { reliability: 85.25, unknown: 1e-7, downtime: -1 },
        filter_tags: [{ context: 'c', value: 'v', name: 'n' }],
      }),
    ).toEqual({
      ...empty,
      weight: 'hepspec',
      disabled: true,
      computations: { ar: false, status: true, trends: ['tags', 'tags'] },
      thresholds: { availability: 0, reliability: 85.25, uptime: 0, unknown: 1e-7, downtime: -1 },
      filter_tags: [{ name: 'n', value: 'v', context: 'c' }],
    });
    const unnamed = await reports.post('null');
    expect([unnamed.status, recordsOf(await reports.one(idOf(unnamed)))[0]?.info]).toMatchObject([201, { name: '', description: '' }]);
    expect((await reports.post('{}')).text).toBe(taken);
  });

  it('show every member in the order and layout of the contract', async () => {
    const body =
      '{"filter_tags":[{"name":"a<b","value":"&","context":"c"}],"topology_schema":{"group":{"group":{"type":"SITES"},"type":"<P>"}},' +
      '"thresholds":{"downtime":1,"availability":99.5},"weight":"w","disabled":true,"computations":{"trends":["status"]},' +
      '"info":{"description":"d","name":"laid out","created":"1999","updated":"never"},"tenant":"other","id":"mine",' +
      `"profiles":[{"type":"weights","id":"${ids.weights}","name":"made up"}]}`;
    const id = idOf(await reports.post(body));
    expect(id).toMatch(UUID);
    const read = await reports.one(id);
    const expected = recordLike(read, id, 'reports', {
      name: 'laid out',
      weight: 'w',
      disabled: true,
      computations: { ar: false, status: false, trends: ['status'] },
      thresholds: { availability: 99.5, reliability: 0, uptime: 0, unknown: 0, downtime: 1 },
      topology_schema: { group: { group: { type: 'SITES' }, type: '<P>' } },
      profiles: [{ id: ids.weights, name: 'stored', type: 'weights' }],
      filter_tags: [{ name: 'a<b', value: '&', context: 'c' }],
    });
    expect(read.text).toBe(pretty(listOf(expected)));
    expect(read.headers.get('content-type')).toBe(UTF8_JSON);
  });

  it('echo a topology schema of any shape and up to 32 levels as it was spelled', async () => {
    const deep = `${'{"group":'.repeat(31)}{}${'}'.repeat(31)}`;
    for (const [schema, text] of [
      ['{"2":1.0,"1":[1e5,12345678901234567890,-0,null,true],"x":{}}', '{"2":1.0,"1":[1e5,12345678901234567890,-0,null,true],"x":{}}'],
      ['{ "a" : [ ] , "b" : [ [ ] , { } ] , "a" : "\\u0041<" }', '{"a":"A\\u003c","b":[[],{}]}'],
      ['{"type":5,"GROUP":{"Type":1},"__proto__":{"group":1}}', '{"type":5,"GROUP":{"Type":1},"__proto__":{"group":1}}'],
      ['{"group":{"type":null,"group":null,"x":1}}', '{"group":{"type":null,"group":null,"x":1}}'],
      [deep, deep],
    ] as const) {
      const id = idOf(await reports.post(`{"info":{"name":"${name()}"},"topology_schema":${schema}}`));
      const answer = await reports.one(id);
      expect(answer.text.replace(/\n */g, '').replaceAll('": ', '":')).toContain(`"topology_schema":${text},"profiles":[]`);
      await reports.put(id, `{"info":{"name":"${name()}"},"topology_schema":${schema}}`);
      expect((await reports.one(id)).text.replace(/\n */g, '').replaceAll('": ', '":')).toContain(`"topology_schema":${text},`);
    }
    expect((await reports.post(`{"topology_schema":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`)).text).toBe(pretty(malformed));
  });

  it('are replaced as a whole; id and time of creation stay', async () => {
    const [first, second] = [name(), name()];
    const full = {
      weight: 'w',
      disabled: true,
      computations: { ar: true, trends: ['tags'] },
      thresholds: { uptime: 5 },
      topology_schema: { group: { type: 'A' } },
      profiles: [{ type: 'metric', id: ids.metric }],
      filter_tags: [{ name: 'n' }],
    };
    const begin = Math.floor(Date.now() / 1_000) * 1_000;
    const id = idOf(await reports.post(report(first, full)));
    const end = Date.now();
    const infoOf = async () => recordsOf(await reports.one(id))[0]?.info as { created: string; updated: string };
    const before = await infoOf();
    expect([before.created, before.updated]).toEqual([expect.stringMatching(TIME), before.created]);
    const created = Date.parse(`${before.created.replace(' ', 'T')}Z`);
    expect(created).toBeGreaterThanOrEqual(begin);
    expect(created).toBeLessThanOrEqual(end);
    const change = async () => {
      await reports.put(id, { id: UNKNOWN_ID, tenant: 'x', info: { name: second, description: 'd', created: 'never' } });
      return infoOf();
    };
    const after = await eventually(change).until(({ updated }) => updated !== before.updated);
    expect(after.created).toBe(before.created);
    const answer = await reports.one(id);
    expect(answer.text).toBe(pretty(listOf(recordLike(answer, id, 'reports', { name: second, thresholds: null }))));
    await reports.put(id, report(second, { thresholds: { availability: 1 } }));
    expect(recordsOf(await reports.one(id))[0]?.thresholds).toEqual({
      availability: 1,
      reliability: 0,
      uptime: 0,
      unknown: 0,
      downtime: 0,
    });
  });
});
