import { beforeAll, describe, expect, it } from '@jest/globals';
import avro from 'avsc';
import { expectError } from '#test/e2e/expect-error.js';
import { createProject, type ProjectCalls, WITH_TOKEN } from '#test/e2e/messaging/calls.js';
import { servingAlone } from '#test/e2e/serving.js';
import { messageOf } from '#test/e2e/status/contract.js';
import { expectJson, newTenant, type TestTenant } from '#test/e2e/status/extended-contract.js';
import { at, unprocessable } from '#test/e2e/status/metric-data/metric-points.js';
import { ADMIN, embedded } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';

/** An order of fields that nobody sends: readable once the topic has the schema. */
const OWN = {
  type: 'record',
  name: 'own',
  fields: ['status', 'metric', 'hostname', 'service', 'timestamp'].map((name) => ({ name, type: 'string' })),
};
const own = (minute: number): string => {
  const timestamp = at(`07:${`${minute}`.padStart(2, '0')}:00`);
  const values = { status: 'OK', metric: 'own', hostname: 'h1', service: 'CE', timestamp };
  return avro.Type.forSchema(OWN as never)
    .toBuffer(values)
    .toString('base64');
};
const text = (value: string): string => Buffer.from(value).toString('base64');

type Shown = Readonly<Record<string, unknown>>;

describe('messages that a metric source has set aside', () => {
  const scene = servingAlone(embedded, WITH_TOKEN);
  let project: ProjectCalls;
  beforeAll(async () => {
    project = await createProject(scene, 'monitoring');
    expect((await project.post('/schemas/own', { type: 'avro', schema: OWN })).status).toBe(200);
  });

  /** A tenant whose source is a subscription of a topic of its own, with a dead letter topic or without. */
  const sourceOf = async (name: string, deadLetters: string | undefined) => {
    const tenant: TestTenant = await newTenant(scene.status);
    await project.topic(name);
    await project.subscription(`${name}-in`, name);
    const path = `/admin/tenants/${tenant.id}/metric-source`;
    const connect = async (topic: string | undefined) => {
      const body = { project: 'monitoring', subscription: `${name}-in`, ...(topic && { dead_letter_topic: topic }) };
      expect((await scene.status.put(path, { key: ADMIN, body })).status).toBe(200);
    };
    await connect(deadLetters);
    const shown = async (): Promise<Shown> =>
      ((await scene.status.get(path, { key: ADMIN })).json as { data: readonly Shown[] }).data[0] ?? {};
    return {
      tenant,
      path,
      connect,
      shown,
      until: (wanted: (source: Shown) => boolean) => eventually(shown).until(wanted),
      publish: (...data: readonly string[]) => project.post(`/topics/${name}:publish`, { messages: data.map((one) => ({ data: one })) }),
      retry: (body: unknown) => scene.status.post(`${path}/retry`, { key: ADMIN, body }),
      attach: () => project.post(`/topics/${name}:attachSchema`, { schema: 'projects/monitoring/schemas/own' }),
      back: () => project.post(`/subscriptions/${name}-in:modifyOffset`, { offset: 0 }),
    };
  };
  const published = async (subscription: string) => {
    const { json } = await project.post(`/subscriptions/${subscription}:pull`, { maxMessages: '99' });
    return (json as { receivedMessages: readonly { message: { attributes: Record<string, string> } }[] }).receivedMessages;
  };
  const counts = ({ received, ingested, points, dead_lettered, discarded, dropped }: Shown) => [
    ...[received, ingested, points],
    ...[dead_lettered, discarded, dropped],
  ];
  const pointsOf = (tenant: TestTenant) => tenant.get(`/metric_result/h1/own?exec_time=${at('07:01:00')}`);

  it('are taken up again once they can be read, as asked for by a super admin; what still cannot be read stays where it was', async () => {
    await project.topic('dead');
    await project.subscription('dead-out', 'dead');
    const source = await sourceOf('late', 'dead');
    const nobody = await scene.status.post('/admin/tenants/nobody/metric-source/retry', { key: ADMIN, body: {} });
    expectError(nobody, 'not found');
    expectJson(await source.retry({ since: 'x' }), 422, unprocessable('since is not in the form YYYY-MM-DDTHH:MM:SSZ'));
    expectError(await source.retry('{'), 'malformed');
    await source.publish(own(1), text('garbage'), own(2), own(3));
    expect(counts(await source.until(({ received, lag }) => received === 4 && lag === 0))).toEqual([4, 0, 0, 4, 0, 0]);
    await source.attach();
    expectJson(await source.retry({ since: '2999-01-01T00:00:00Z' }), 200, messageOf('Messages set aside are taken up again'));
    expect(counts(await source.until(({ retry }) => retry === null))).toEqual([4, 0, 0, 4, 0, 0]);
    await source.retry({ since: '2020-01-01T00:00:00Z' });
    expect(counts(await source.until(({ retry }) => retry === null))).toEqual([4, 3, 3, 1, 0, 0]);
    expect((await pointsOf(source.tenant)).text).toContain('"Value": "OK"');
    await source.retry({});
    expect(counts(await source.until(({ retry }) => retry === null))).toEqual([4, 3, 3, 1, 0, 0]);
    expect(await published('dead-out')).toHaveLength(4); // each once
  });

  it('are taken up again after a crash, each once', async () => {
    const source = await sourceOf('crashed', 'dead');
    const messages = Array.from({ length: 900 }, (_, index) => own(index % 60));
    await source.publish(...messages);
    await source.until(({ received, lag }) => received === 900 && lag === 0);
    await source.attach();
    await source.retry({});
    await scene.crash();
    expect(counts(await source.until(({ retry }) => retry === null))).toEqual([900, 900, 900, 0, 0, 0]);
  });

  it('are taken up again when the offset is moved back, but not what was read', async () => {
    const source = await sourceOf('discarding', undefined);
    const good = JSON.stringify([{ timestamp: at('08:00:00'), service: 'CE', hostname: 'h1', metric: 'm', status: 'OK' }]);
    await source.publish(text(good), own(1), text(good), own(2), text('garbage'));
    expect(counts(await source.until(({ received, lag }) => received === 5 && lag === 0))).toEqual([5, 2, 2, 0, 3, 0]);
    await source.attach();
    await project.topic('dead-later');
    await project.subscription('dead-later-out', 'dead-later');
    await source.connect('dead-later');
    const again = async (): Promise<Shown> => {
      await source.back();
      return source.until(({ ingested, lag }) => ingested === 4 && lag === 0);
    };
    if ((await again()).discarded === 1) await again(); // the settings of before hold for a moment
    expect(counts(await source.shown())).toEqual([5, 4, 4, 1, 0, 0]);
    expect(await published('dead-later-out')).toHaveLength(1);
    await source.back();
    await source.publish(own(3));
    expect(counts(await source.until(({ received, lag }) => received === 6 && lag === 0))).toEqual([6, 5, 5, 1, 0, 0]);
    expect(await published('dead-later-out')).toHaveLength(1);
  });

  it('go round in a circle of topics twice, then they are dropped, and counted', async () => {
    for (const topic of ['ring-a', 'ring-b']) {
      await project.topic(topic);
      await project.subscription(`${topic}-out`, topic);
    }
    const [one, other] = [await newTenant(scene.status), await newTenant(scene.status)];
    const connect = async (tenant: TestTenant, from: string, to: string) => {
      await project.subscription(`${from}-in`, from);
      const body = { project: 'monitoring', subscription: `${from}-in`, dead_letter_topic: to };
      expect((await scene.status.put(`/admin/tenants/${tenant.id}/metric-source`, { key: ADMIN, body })).status).toBe(200);
    };
    await connect(one, 'ring-a', 'ring-b');
    await connect(other, 'ring-b', 'ring-a');
    const shown = async (tenant: TestTenant): Promise<Shown> => {
      const { json } = await scene.status.get(`/admin/tenants/${tenant.id}/metric-source`, { key: ADMIN });
      return (json as { data: readonly Shown[] }).data[0] ?? {};
    };
    const forged = { data: text('forged'), attributes: { 'logbook-set-aside': '-7' } };
    await project.post('/topics/ring-a:publish', { messages: [{ data: text('garbage'), attributes: { keep: 'me' } }, forged] });
    const first = await eventually(() => shown(one)).until(({ dropped, lag }) => dropped === 2 && lag === 0);
    expect(counts(first)).toEqual([4, 0, 0, 2, 0, 2]);
    expect(counts(await shown(other))).toEqual([2, 0, 0, 2, 0, 0]);
    const [inA, inB] = [await published('ring-a-out'), await published('ring-b-out')];
    expect([inA.length, inB.length]).toEqual([4, 2]);
    expect(inA.map(({ message }) => message.attributes['logbook-set-aside'])).toEqual([undefined, '-7', '2', '2']);
    expect(inB.map(({ message }) => [message.attributes['logbook-set-aside'], message.attributes.keep])).toEqual([
      ['1', 'me'],
      ['1', undefined],
    ]);
  });
});
