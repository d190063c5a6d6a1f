import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { listOf, malformed, messageOf } from '#test/e2e/status/contract.js';
import { administration, expectBody, holders, user } from '#test/e2e/status/tenant-calls.js';
import { embedded } from '#test/support/deployments.js';
import { recordsOf } from '#test/support/status-client.js';

describe('engine status', () => {
  const scene = serving(embedded);
  const admin = administration(scene);
  const keys = holders(scene);

  const node = { ingestion: true, publishing: true, status_streaming: true, messages_arrived: 5 };
  const SEED = ['downtimes', 'group_endpoints', 'blank_recompuation', 'group_groups', 'weights', 'operations_profile', 'metric_profile'];
  const entry = Object.fromEntries([...SEED, 'aggregation_profile'].map((name) => [name, true]));
  const original = { aggregation_profile: true, blank_recomputation: true, configuration_profile: true };
  const well = {
    ams: { metric_data: node, sync_data: node },
    hdfs: { metric_data: true, sync_data: { Critical: entry, Other: original } },
    engine_config: true,
    last_check: '2018-08-10T12:32:45Z',
  };
  const statusOf = async (id: string) => (recordsOf(await admin.get(id, '/status'))[0] as { status: { total_status: boolean } }).status;

  it('has all members from the beginning, all of them empty', async () => {
    const id = await admin.created('unreported', user('u', 'unreported-u'));
    const { info } = await admin.one(id);
    const silent = { ingestion: false, publishing: false, status_streaming: false, messages_arrived: 0 };
    const status = {
      total_status: false,
      ams: { metric_data: silent, sync_data: silent },
      hdfs: { metric_data: false },
      engine_config: false,
      last_check: '',
    };
    expectBody(await admin.get(id, '/status'), 200, listOf({ id, info, status }));
    for (const role of ['super_admin_restricted', 'super_admin_ui'])
      expectBody(await scene.status.get(`/admin/tenants/${id}/status`, { key: keys[role] }), 200, listOf({ id, info, status }));
    expectBody(await admin.put(id, {}, '/status'), 200, messageOf('Tenant successfully updated'));
    expectBody(await admin.get(id, '/status'), 200, listOf({ id, info, status }));
  });

  it('is read as it was written, with the total status, and survives every write of the tenant', async () => {
    const id = await admin.created('reported', user('r', 'reported-r'));
    const before = await admin.one(id);
    expectBody(
      await admin.put(id, { total_status: false, ...well, id: 'x', info: 'y' }, '/status'),
      200,
      messageOf('Tenant successfully updated'),
    );
    expect(await admin.one(id)).toEqual(before);
    expectBody(await admin.get(id, '/status'), 200, listOf({ id, info: before.info, status: { total_status: true, ...well } }));

    const [r] = before.users ?? [];
    const writes = [
      () => admin.put(id, {}, `/users/${r?.id}`),
      () => admin.post(id, `/users/${r?.id}/renew_api_key`),
      () => admin.post(id, '/users', {}),
      () => admin.remove(id, `/users/${r?.id}`),
      () => admin.put(id, { info: { name: 'reported 2' } }),
    ];
    for (const write of writes) {
      await write();
      expect(await statusOf(id)).toEqual({ total_status: true, ...well });
    }
    expect((await admin.get(id, '/status')).json).toMatchObject({ data: [{ info: { name: 'reported 2' } }] });

    await admin.put(id, { engine_config: true }, '/status');
    expect(await statusOf(id)).toMatchObject({ total_status: false, hdfs: { metric_data: false }, engine_config: true, last_check: '' });
  });

  it('has the total status true if every boolean is true', async () => {
    const id = await admin.created('judged');
    const worse = {
      ...well,
      ams: { metric_data: { ...node, publishing: false, status_streaming: false }, sync_data: { ...node, status_streaming: false } },
      hdfs: { metric_data: false, sync_data: { a: entry, b: { weights: false } } },
    };
    await admin.put(id, worse, '/status');
    expect(await statusOf(id)).toEqual({ ...worse, total_status: false });
    await admin.put(id, { ...well, hdfs: { metric_data: true, sync_data: null } }, '/status');
    expect((await statusOf(id)).total_status).toBe(true);
  });

  it('keeps exact counts, and names with any characters', async () => {
    const id = await admin.created('counting');
    const count = (text: string) => `{"ams":{"metric_data":{"messages_arrived":${text}}},"last_check":"<\\"messages_arrived\\": \\"7\\">"}`;
    for (const text of ['9007199254740993', '9223372036854775807', '-9223372036854775808', '0']) {
      expect((await admin.put(id, count(text), '/status')).status).toBe(200);
      expect((await admin.get(id, '/status')).text).toContain(`"messages_arrived": ${text}\n`);
    }
    for (const text of ['9223372036854775808', '1.5', '1e3', '"1"', 'true', '[]'])
      expectBody(await admin.put(id, count(text), '/status'), 400, malformed);
    const odd = '{"hdfs":{"sync_data":{"__proto__":{"a b":true},"10":{},"é/\\"":{"toString":false}}}}';
    expect((await admin.put(id, odd, '/status')).status).toBe(200);
    const { text } = await admin.get(id, '/status');
    for (const sent of ['{"10":{"b":true,"9":false,"10":true,"a":true},"9":{"1":true}}', '{"R":{"2":true,"10":true,"b":true,"a":true}}']) {
      expect((await admin.put(id, `{"hdfs":{"sync_data":${sent}}}`, '/status')).status).toBe(200);
      expect((await admin.get(id, '/status')).text.replace(/\s/g, '')).toContain(`"sync_data":${sent}`);
    }
    for (const part of ['"__proto__": {\n       "a b": true\n', '"10": {}', '"é/\\"": {\n       "toString": false\n'])
      expect(text).toContain(part);
  });

  it('refuses bodies of another shape', async () => {
    const id = await admin.created('misreported');
    for (const body of [
      '',
      '[]',
      { ams: [] },
      { ams: { metric_data: true } },
      { ams: { sync_data: { ingestion: 'true' } } },
      { hdfs: { metric_data: {} } },
      { hdfs: { sync_data: [] } },
      { hdfs: { sync_data: { a: true } } },
      { hdfs: { sync_data: { a: { weights: 1 } } } },
      { engine_config: 'true' },
      { last_check: 5 },
    ])
      expectBody(await admin.put(id, body, '/status'), 400, malformed);
  });
});
