import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { report, unreadable } from '#test/e2e/status/reports/reports.js';
import { ADMIN, distributed, OPERATOR } from '#test/support/deployments.js';
import { eventually, holds } from '#test/support/eventually.js';
import { type Answer, registerTenant } from '#test/support/status-client.js';

const REPORTS = 'status.reports';

describe('an event that neither the read models in Redis nor the history of the node can apply', () => {
  const scene = serving(distributed, { LOGBOOK_HISTORY: 'on' });
  const ops = (path: string) => scene.root.get(path, { key: OPERATOR });
  const health = async () => (await scene.root.get('/health')).json as Record<string, unknown>;
  const reports = (headers = {}) => scene.status.get('/reports', { key: 'odd-admin', headers });
  const postReport = (name: string) => scene.status.post('/reports', { key: 'odd-admin', body: report(name) });
  let partition: string;

  it('is shown by /health, /metrics and /ops for both', async () => {
    const tenant = await registerTenant(scene.status, ADMIN, 'odd', ['admin']);
    partition = `tenant:${tenant}`;
    await postReport('before');
    await scene.plant(unreadable(tenant, 'bad'));
    const setAside = { partitionsSetAside: { [REPORTS]: 1 } };
    await holds(async () => expect(await health()).toMatchObject({ ...setAside, history: { status: 'degraded', ...setAside } }));
    const metrics = (await scene.root.get('/metrics', { accept: null })).text;
    expect(metrics).toContain(`logbook_history_partitions_set_aside{projection="${REPORTS}"} 1`);
    expect((await ops(`/ops/projections/${REPORTS}`)).json).toMatchObject({
      state: 'degraded',
      history: { state: 'degraded', setAside: { partitions: 1, events: 1 } },
    });
    expect((await ops(`/ops/projections/${REPORTS}/partitions`)).json).toMatchObject({
      items: [{ partition, state: 'set-aside', history: 'set-aside' }],
    });
  });

  it('is skipped in both by one request, after which the past and the audit are readable', async () => {
    const path = `/ops/projections/${REPORTS}/partitions/${encodeURIComponent(partition)}/skip`;
    const skip = () => scene.root.post(path, { key: OPERATOR, body: { reason: 'nonsense' }, headers: { 'idempotency-key': 'skip' } });
    const isServed = ({ json }: Answer): boolean => {
      const { state, history } = json as Readonly<{ state: string; history: string | null }>;
      return state === 'served' && history === null;
    };
    expect((await eventually(skip).until(isServed)).status).toBe(200);
    const { data } = (await postReport('after')).json as { data: { id: string } };
    const { head } = (await ops('/ops/log')).json as { head: string };
    const past = await eventually(() => reports({ 'logbook-as-of': head })).until(({ status }) => status === 200);
    expect(past.json).toEqual((await reports()).json);
    await eventually(() => ops(`/audit/resources/status/report/${data.id}`)).until(({ status }) => status === 200);
    const { history } = await eventually(health).until((shown) => (shown.history as { status: string }).status === 'live');
    expect(history).not.toHaveProperty('partitionsSetAside');
  });

  it('stays out of both when a rebuild is requested, which rebuilds both', async () => {
    const rebuilt = () => scene.server.lines.filter((line) => line.includes(REPORTS) && line.includes('"rebuild done"')).length;
    const before = rebuilt();
    expect((await scene.root.post(`/ops/projections/${REPORTS}/rebuild`, { key: OPERATOR })).status).toBe(202);
    await eventually(async () => rebuilt()).until((count) => count === before + 2);
    const { head } = (await ops('/ops/log')).json as { head: string };
    await eventually(() => reports({ 'logbook-as-of': head })).until(({ status }) => status === 200);
    expect((await ops(`/ops/projections/${REPORTS}/partitions`)).json).toEqual({ items: [] });
  });
});
