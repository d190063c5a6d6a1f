import { describe, expect, it, jest } from '@jest/globals';
import type { LeasedWorkKind } from '#infra/platform/coordination/leased-work.js';
import type { SettingsDocument } from '#projections/status/notifications/queries.js';
import { eventually } from '#test/support/eventually.js';
import { NotificationsUnusable } from './notice-publisher.js';
import { NotificationsService } from './notifications-service.js';

const SETTINGS: SettingsDocument = { projectId: 'p', topic: 'gone', levels: ['group'], epoch: 1 };

/** Turns of a tenant whose topic is missing: the number of looks once a problem is reported. */
const looksWith = async (pending: number): Promise<readonly [problems: unknown[], looks: number]> => {
  const look = jest.fn(async () => {});
  const publisher = { publish: () => Promise.reject(new NotificationsUnusable('Topic gone does not exist')) };
  const queries = { all: async () => [{ tenantId: 't', settings: SETTINGS }], totals: async () => ({ pending }) };
  const kinds: LeasedWorkKind[] = [];
  const background = { start: (kind: LeasedWorkKind) => kinds.push(kind) };
  const parts = [{ look }, publisher, queries, {}, background, { warn: () => {} }] as never as ConstructorParameters<
    typeof NotificationsService
  >;
  new NotificationsService(...parts).onApplicationBootstrap();
  const over = new AbortController();
  const problems: unknown[] = [];
  const working = kinds[0]?.work(over.signal, (_tenant, problem) => problem && problems.push(problem), over.signal);
  await eventually(
    () => problems.length,
    (length) => length > 0,
  );
  const looks = look.mock.calls.length;
  over.abort();
  await working?.catch(() => undefined);
  return [problems, looks];
};

describe('notifications whose topic is missing', () => {
  it('are still looked for, so that no change is lost', async () => expect(await looksWith(1)).toEqual([['Topic gone does not exist'], 1]));

  it('are not looked for while too many wait', async () => expect(await looksWith(1_000)).toEqual([['Topic gone does not exist'], 0]));
});
