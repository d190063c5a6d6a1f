import { expect, it } from '@jest/globals';
import { records } from '#test/e2e/accounting/records.js';
import { accountingServing, expectMessage } from '#test/e2e/accounting/serving.js';
import { type AccountingClient, accountingClient } from '#test/support/accounting/accounting-client.js';
import { distributed, oneMoreNode, SYSTEM_ADMIN } from '#test/support/deployments.js';
import { eventually } from '#test/support/eventually.js';
import { type LogbookProcess, startLogbook } from '#test/support/processes/logbook-process.js';
import type { Answer } from '#test/support/status-client.js';

const PERIOD = { time_period_start: '2024-01-01T00:00:00Z', time_period_end: '2024-01-02T00:00:00Z', value: 1 };

const processes: { projector?: LogbookProcess; second?: LogbookProcess } = {};
const scene = accountingServing(
  async () => {
    const deployment = await distributed();
    const start = async (roles: string) =>
      startLogbook({ ...(await oneMoreNode(deployment)), LOGBOOK_HISTORY: 'off', LOGBOOK_ROLES: roles });
    // The first makes what belongs to the installation as a whole.
    processes.projector = await start('projector');
    processes.second = await start('api');
    return {
      ...deployment,
      dispose: async () => {
        await processes.second?.stop();
        await processes.projector?.stop();
        await deployment.dispose();
      },
    };
  },
  { LOGBOOK_ROLES: 'api' },
);

const running = (node: 'projector' | 'second'): LogbookProcess => {
  const found = processes[node];
  if (!found) throw new Error(`the ${node} does not run`);
  return found;
};
const second = (): AccountingClient => accountingClient(running('second').url, SYSTEM_ADMIN);
const make = records(() => scene.admin);

const measured = async () => {
  const { project, provider } = await make.pair();
  const { id: installation } = await make.installation(project, provider);
  return { installation, definition: `${(await make.definition()).metric_definition_id}` };
};
const record = (installation: unknown, metric_definition_id: string) =>
  second().post(`/installations/${installation}/metrics`, { metric_definition_id, ...PERIOD }, { mayBeBehind: true });

/** On a machine that is busy with other things reads may be behind for a while, and nothing is done then. */
const answered = (call: () => Promise<Answer>): Promise<Answer> => eventually(call).until(({ status }) => status !== 503);

it('a definition is deleted at one node, or measured at the other, and never both', async () => {
  for (let round = 0; round < 8; round++) {
    const { installation, definition } = await measured();
    const [deleted, recorded] = await Promise.all([
      answered(() => scene.admin.delete(`/metric-definitions/${definition}`)),
      answered(() => record(installation, definition)),
    ]);
    if (deleted.status === 200) expectMessage(recorded, 404, `There is no Metric Definition with the following id: ${definition}`);
    else {
      expectMessage(deleted, 409, 'The Metric Definition cannot be deleted. There is a Metric assigned to it.');
      expect(recorded.status).toBe(201);
    }
    const expected = deleted.status === 200 ? 404 : 200;
    await eventually(() => second().get(`/metric-definitions/${definition}`)).until(({ status }) => status === expected);
  }
});

it('while the projector is stopped, metrics are acknowledged from the log, and nothing they may refer to is deleted', async () => {
  const { installation, definition } = await measured();
  process.kill(running('projector').pid, 'SIGSTOP');
  try {
    const recorded = await record(installation, definition);
    expect([recorded.status, recorded.headers.get('logbook-read-model')]).toEqual([201, 'behind']);
    const deleted = await scene.admin.delete(`/metric-definitions/${definition}`);
    expect(deleted).toMatchObject({ status: 503, json: { code: 503 } });
    expect(deleted.headers.get('retry-after')).toMatch(/^\d+$/);
  } finally {
    process.kill(running('projector').pid, 'SIGCONT');
  }
  const deletion = await answered(() => scene.admin.delete(`/metric-definitions/${definition}`));
  expectMessage(deletion, 409, 'The Metric Definition cannot be deleted. There is a Metric assigned to it.');
});
