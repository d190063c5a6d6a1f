import { describe, expect, it } from '@jest/globals';
import { serving } from '#test/e2e/serving.js';
import { newTenant } from '#test/e2e/status/extended-contract.js';
import { given, point } from '#test/e2e/status/metric-data/metric-points.js';
import { pointsOf, smallReport } from '#test/e2e/status/results/small-report.js';
import { deployments } from '#test/support/deployments.js';

/** Names in the order of their bytes; an object has the integers first, in the order of numbers. */
const IN_ORDER = '{"-":"a","10":"b","9":"c","a":"d"}';
const SENT = '{"a":"d","9":"c","10":"b","-":"a"}';
const compact = (text: string): string => text.replaceAll(/\s/g, '');

describe.each(deployments)('names that callers choose, also integers, on %s', (_name, open) => {
  const scene = serving(open);

  it('are in order in tags, alone and in lists of other tenants', async () => {
    const tenant = await newTenant(scene.status);
    const items = `[{"group":"g","type":"t","subgroup":"s","service":"web","hostname":"h","tags":${SENT}}]`;
    for (const path of ['groups', 'endpoints']) {
      expect((await tenant.post(`/topology/${path}?date=2024-01-01`, items)).status).toBe(201);
      for (const query of ['', '&mode=combined', '&tags=9:c'])
        expect(compact((await tenant.get(`/topology/${path}?date=2024-01-01${query}`)).text)).toContain(`"tags":${IN_ORDER}`);
    }
  });

  it('are in order in the info of metric results', async () => {
    const tenant = await newTenant(scene.status);
    const body = JSON.stringify([point('r', { status: 'CRITICAL' })]).replace('}]', `,"info":${SENT}}]`);
    expect((await tenant.post('/metric_data', body, { headers: { 'content-type': 'application/json' } })).status).toBe(201);
    const { text } = await tenant.get('/metric_result/h1/ping?exec_time=2015-05-01T12:00:00Z');
    expect(compact(text)).toContain(`"info":${IN_ORDER}`);
  });

  it('are in order in the info of computed results and statuses', async () => {
    const tenant = await newTenant(scene.status);
    await smallReport(tenant, 'Small');
    const tags = SENT.replaceAll(/"([^"]*)":/g, '"info_$1":');
    const endpoints = `[{"group":"SITE-A","type":"SITES","service":"web","hostname":"h1.example.org","tags":${tags}}]`;
    const answer = await tenant.post('/topology/endpoints?date=2015-01-01&force=true', endpoints);
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
    await given(tenant, ...pointsOf('2015-05-01', ['12:00:00', 'CRITICAL']));
    const span = 'start_time=2015-05-01T00:00:00Z&end_time=2015-05-01T23:59:59Z';
    for (const path of [
      `/results/Small/SITES/SITE-A/services/web/endpoints?${span}`,
      `/status/Small/SITES/SITE-A/services/web/endpoints?${span}`,
    ])
      expect(compact((await tenant.get(path)).text)).toContain(`"info":${IN_ORDER}`);
    const issues = await tenant.get('/issues/Small/endpoints?date=2015-05-01');
    expect(compact(issues.text)).toContain(`"info":${IN_ORDER}`);
  });
});
