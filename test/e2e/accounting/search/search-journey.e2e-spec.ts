import { describe, expect, it } from '@jest/globals';
import { records } from '#test/e2e/accounting/records.js';
import { accountingServing, pageIn } from '#test/e2e/accounting/serving.js';
import { deployments } from '#test/support/deployments.js';
import { EVERYTHING, KINDS } from './searches.js';

describe.each(deployments)('Searches on %s', (_, open) => {
  const scene = accountingServing(open);
  const make = records(() => scene.admin);

  it('find records as soon as they are written, and no longer than they are there', async () => {
    const { project, provider } = await make.pair();
    const installation = await make.installation(project, provider);
    const definition = await make.definition();
    const { metric_id } = await make.metric(installation.id, definition.metric_definition_id);
    const totals = () =>
      Promise.all(KINDS.map(async (kind) => pageIn(await scene.admin.post(`/${kind}/search`, EVERYTHING)).total_elements));
    expect(await totals()).toEqual([1, 1, 1, 1, 1]);
    await scene.admin.delete(`/installations/${installation.id}/metrics/${metric_id}`);
    expect(await totals()).toEqual([1, 1, 1, 0, 1]);
    await scene.admin.delete(`/installations/${installation.id}`);
    expect(await totals()).toEqual([0, 1, 1, 0, 1]);
    await scene.admin.delete(`/admin/projects/${project}`);
    expect(await totals()).toEqual([0, 1, 1, 0, 0]);
  });
});
