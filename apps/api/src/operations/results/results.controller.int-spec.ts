import { randomUUID } from 'node:crypto';
import { expect, it, jest } from '@jest/globals';
import type { OpsCall } from '#api/ops-kit/parameters.js';
import { toTenants } from '#api/status/tenants/commands.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { type ReportDocument, ReportQueries } from '#projections/status/reports/queries.js';
import { contextFor, openApplication } from '#test/support/application.js';
import { ResultsController } from './results.controller.js';

it('a repeat of a request for a recomputation is answered as the first one, even if the report has another name by then', async () => {
  const application = await openApplication();
  const info = { name: 't', email: '', description: '', image: '', website: '' };
  const content = { tenantId: 't-1', info, databases: [], topology: { type: '', feed: '' }, users: [] };
  await application.get(StreamProcessor).execute(toTenants(contextFor('status'), { type: 'RegisterTenant', ...content }));
  const named = jest.spyOn(ReportQueries.prototype, 'byName').mockResolvedValue({} as ReportDocument);
  const context = { ...contextFor('ops'), idempotency: { key: randomUUID(), body: 'body' } };
  const call = { context, reply: { header: jest.fn() }, request: { operator: { keyId: 'k', name: 'night shift' } } } as unknown as OpsCall;
  const body = { tenant: 't-1', report: 'Critical', from: '2026-03-01T00:00:00Z', to: '2026-03-01T23:59:59Z', reason: 'late data' };
  const ask = (of: OpsCall) => application.get(ResultsController).request(of, body);
  const first = await ask(call);
  named.mockResolvedValue(undefined);
  expect(await ask(call)).toEqual(first);
  await expect(ask({ ...call, context: contextFor('ops') } as OpsCall)).rejects.toMatchObject({ status: 404 });
  await application.close();
});
