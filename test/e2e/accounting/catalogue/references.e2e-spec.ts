import { describe, expect, it } from '@jest/globals';
import { fresh, records } from '#test/e2e/accounting/records.js';
import { accountingServing } from '#test/e2e/accounting/serving.js';
import { deployments } from '#test/support/deployments.js';
import type { Answer } from '#test/support/status-client.js';

const ROUNDS = 5;
const PERIOD = { time_period_start: '2024-01-01T00:00:00Z', time_period_end: '2024-01-02T00:00:00Z' };

describe.each(deployments)('one of two simultaneous calls, a removal and a new reference, is refused on %s', (_name, open) => {
  const scene = accountingServing(open);
  const make = records(() => scene.admin);

  /** Each round sends two requests at once, of which one has to be refused. */
  const oneWins = async (round: () => Promise<readonly [Promise<Answer>, Promise<Answer>]>): Promise<void> => {
    for (let i = 0; i < ROUNDS; i++) {
      const statuses = (await Promise.all(await round())).map(({ status }) => status);
      expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    }
  };

  it('for a provider and its association', async () => {
    const project = await make.project();
    const associate = (provider: string) => scene.admin.post(`/projects/${project}/associate/provider/${provider}`);
    await oneWins(async () => {
      const provider = await make.provider();
      return [scene.admin.delete(`/providers/${provider}`), associate(provider)];
    });
    await oneWins(async () => {
      const provider = await make.provider();
      return [scene.admin.patch(`/providers/${provider}`, { id: fresh('renamed') }), associate(provider)];
    });
  });

  it('for a definition and a metric or a unit of access, and for a resource and an installation', async () => {
    const { project, provider } = await make.pair();
    const { id } = await make.installation(project, provider);
    const install = (more: object) =>
      scene.admin.post('/installations', { project, organisation: provider, infrastructure: 'i', installation: fresh('i'), ...more });
    await oneWins(async () => {
      const { metric_definition_id } = await make.definition();
      const metric = { metric_definition_id, ...PERIOD };
      return [scene.admin.delete(`/metric-definitions/${metric_definition_id}`), scene.admin.post(`/installations/${id}/metrics`, metric)];
    });
    await oneWins(async () => {
      const { metric_definition_id } = await make.definition();
      return [scene.admin.delete(`/metric-definitions/${metric_definition_id}`), install({ unit_of_access: metric_definition_id })];
    });
    await oneWins(async () => {
      const resource = await make.resource();
      return [scene.admin.delete(`/admin/resources/${resource}`), install({ resource })];
    });
    await oneWins(async () => {
      const [resource, { id: other }] = [await make.resource(), await make.installation(project, provider)];
      return [scene.admin.delete(`/admin/resources/${resource}`), scene.admin.patch(`/installations/${other}`, { resource })];
    });
  });

  it('for an installation and a metric, by either id', async () => {
    const { project, provider } = await make.pair();
    const { metric_definition_id } = await make.definition();
    const metric = { metric_definition_id, ...PERIOD };
    await oneWins(async () => {
      const { id } = await make.installation(project, provider);
      return [scene.admin.delete(`/installations/${id}`), scene.admin.post(`/installations/${id}/metrics`, metric)];
    });
    await oneWins(async () => {
      const { id, external_id } = await make.installation(project, provider);
      const path = `/installations/external/metrics?externalId=${external_id}`;
      return [scene.admin.delete(`/installations/${id}`), scene.admin.post(path, metric)];
    });
  });
});
