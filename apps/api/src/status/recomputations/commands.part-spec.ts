import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readBody } from '#api/shared/bodies/body-shape.js';
import { derivedId } from '#api/shared/commands/derived-id.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import { DeleteTenant, toTenants } from '#api/status/tenants/commands.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { STATUS_LIMITS } from '#domain/status/limits.js';
import { streamOfRecomputation } from '#domain/status/recomputations/recomputations.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { RecomputationQueries } from '#projections/status/recomputations/queries.js';
import { type Application, contextFor, openApplication } from '#test/support/application.js';
import {
  DeleteRecomputation,
  RequestRecomputation,
  ResetRecomputationStatus,
  ReviseRecomputation,
  SetRecomputationStatus,
} from './commands.js';
import { recomputationBody } from './recomputation-body.js';

let application: Application;
let recomputations: RecomputationQueries;
beforeAll(async () => {
  application = await openApplication();
  recomputations = application.get(RecomputationQueries);
  for (let number = 1; number <= 13; number++) {
    const info = { name: `t-${number}`, email: '', description: '', image: '', website: '' };
    const content = { tenantId: info.name, info, databases: [], topology: { type: '', feed: '' }, users: [] };
    await application.get(StreamProcessor).execute(toTenants(contextFor('status'), { type: 'RegisterTenant', ...content }));
  }
});
afterAll(() => application?.close());

const request = {
  requester_name: 'ann',
  requester_email: 'ann@example.org',
  reason: 'power cut',
  start_time: '2024-01-01T00:00:00Z',
  end_time: '2024-01-02T00:00:00Z',
  report: 'Critical',
  exclude: [],
};
/** As sent over HTTP. */
const parsed = (body: object) => readBody(recomputationBody, Buffer.from(JSON.stringify(body)));
const keyed = (key: string) => ({ ...contextFor('status'), idempotency: { key, body: 'body' } });
const count = async (tenantId: string): Promise<number> => (await recomputations.totals(tenantId)).count;

describe('Requesting a recomputation', () => {
  it('is refused if the tenant was deleted before, and deleted', async () => {
    const key = randomUUID();
    await application.execute(new DeleteTenant(contextFor('status'), { tenantId: 't-13' }));
    for (const check of [undefined, undefined, () => Promise.reject(new Error('the report is gone, too'))]) {
      const asking = application.execute(new RequestRecomputation(keyed(key), { tenantId: 't-13', request, ...(check && { check }) }));
      await expect(asking).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
    }
    const stream = streamOfRecomputation(derivedId(`${key}/0`));
    const events = await application.get<EventStore>(EVENT_STORE).readStream(stream, { limit: 10 });
    expect(events.map(({ type }) => type)).toEqual(['RecomputationRequested', 'RecomputationDeleted']);
    expect(await count('t-13')).toBe(0);
  });
});

describe('Changing a recomputation', () => {
  it('is refused under an id that no recomputation can have', () =>
    expect(
      application.execute(new SetRecomputationStatus(contextFor('status'), { tenantId: 't-4', id: 'a-b', status: 'done' })),
    ).rejects.toMatchObject({
      code: 'RECORD_NOT_FOUND',
    }));

  it('is refused for a recomputation of another tenant', async () => {
    const { id } = await application.execute(new RequestRecomputation(contextFor('status'), { tenantId: 't-5', request }));
    const foreign = { tenantId: 't-6', id };
    for (const command of [
      new ReviseRecomputation(contextFor('status'), { ...foreign, request }),
      new ReviseRecomputation(contextFor('status'), { ...foreign, request: { ...request, reason: 'x'.repeat(256 * 1024) } }),
      new DeleteRecomputation(contextFor('status'), foreign),
    ])
      await expect(application.execute(command)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
    expect(await count('t-5')).toBe(1);
  });

  it('is refused when the tenant has no room for it, with the lists that stay', async () => {
    const exclude_metrics = Array.from({ length: 100 }, (_, index) => ({ metric: `m${index}` }));
    const asked = { tenantId: 't-8', request: { ...request, exclude_metrics } };
    const { id } = await application.execute(new RequestRecomputation(contextFor('status'), asked));
    const revise = (reason: string) =>
      application.execute(new ReviseRecomputation(contextFor('status'), { tenantId: 't-8', id, request: parsed({ ...request, reason }) }));
    jest.spyOn(RecomputationQueries.prototype, 'totals').mockResolvedValue({ count: 1, size: STATUS_LIMITS.recordsSizePerKind.value - 5 });
    await expect(revise('a power cut again')).rejects.toMatchObject({ code: 'OVER_LIMIT' });
    await revise('a power cut');
    jest.restoreAllMocks();
  });

  it('is answered under its idempotency key as before, although there is no more room', async () => {
    const [tenantId, ask, approve, revise] = ['t-11', randomUUID(), randomUUID(), randomUUID()];
    const asking = () => application.execute(new RequestRecomputation(keyed(ask), { tenantId, request }));
    const { id } = await asking();
    const approving = () => application.execute(new SetRecomputationStatus(keyed(approve), { tenantId, id, status: 'approved' }));
    const longer = { ...request, reason: 'a power cut again' };
    const revising = (key = revise) => application.execute(new ReviseRecomputation(keyed(key), { tenantId, id, request: longer }));
    const first = [{ id }, await approving(), await revising()];
    const full = { count: STATUS_LIMITS.recordsPerKind.value, size: STATUS_LIMITS.recordsSizePerKind.value };
    jest.spyOn(RecomputationQueries.prototype, 'totals').mockResolvedValue(full);
    const shown = { ...(await recomputations.recomputation({ tenantId, id }))!, reason: '' };
    jest.spyOn(RecomputationQueries.prototype, 'recomputation').mockResolvedValue(shown);
    expect([await asking(), await approving(), await revising()]).toMatchObject(first);
    await expect(revising(randomUUID())).rejects.toMatchObject({ code: 'OVER_LIMIT' });
    jest.restoreAllMocks();
  });

  it('to a status that does not exist is refused before room is asked for', async () => {
    const { id } = await application.execute(new RequestRecomputation(contextFor('status'), { tenantId: 't-12', request }));
    jest.spyOn(RecomputationQueries.prototype, 'totals').mockResolvedValue({ count: 1, size: STATUS_LIMITS.recordsSizePerKind.value });
    const change = new SetRecomputationStatus(contextFor('status'), { tenantId: 't-12', id, status: 'lost' });
    await expect(application.execute(change)).rejects.toMatchObject({ code: 'RECOMPUTATION_STATUS_INELIGIBLE' });
    jest.restoreAllMocks();
  });

  it('needs room for the history', async () => {
    const { id } = await application.execute(new RequestRecomputation(contextFor('status'), { tenantId: 't-9', request }));
    const one = { tenantId: 't-9', id };
    const { recordsSizePerKind } = STATUS_LIMITS;
    const value = (await recomputations.totals('t-9')).size + 50;
    const limited = jest.replaceProperty(STATUS_LIMITS, 'recordsSizePerKind', {
      ...recordsSizePerKind,
      value,
    } as typeof recordsSizePerKind);
    const approve = (of: typeof one) =>
      application.execute(new SetRecomputationStatus(contextFor('status'), { ...of, status: 'approved' }));
    await expect(approve(one)).rejects.toMatchObject({ code: 'OVER_LIMIT' });
    await expect(application.execute(new ResetRecomputationStatus(contextFor('status'), one))).rejects.toMatchObject({
      code: 'OVER_LIMIT',
    });
    await expect(approve({ ...one, id: randomUUID() })).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' });
    limited.restore();
    await approve(one);
    expect(await recomputations.recomputation(one)).toMatchObject({ status: 'approved' });
  });
});
