import { describe, expect, it, jest } from '@jest/globals';
import type { LeasedWorkKind } from '#infra/platform/coordination/leased-work.js';
import type { SettingsDocument } from '#projections/status/notifications/queries.js';
import { eventually } from '#test/support/eventually.js';
import { NotificationsUnusable } from './notice-publisher.js';
import { NotificationsService } from './notifications-service.js';
import { ReportFailed } from './status-watcher.js';

const SETTINGS: SettingsDocument = { projectId: 'p', topic: 'gone', levels: ['group'], epoch: 1 };

type Parts = Readonly<{ publish?: () => Promise<boolean>; found?: Error }>;

/** Turns of a tenant, whose topic is missing by default: the number of looks once a problem is reported. */
const looksWith = async (pending: number, { publish, found }: Parts = {}): Promise<readonly [problems: unknown[], looks: number]> => {
  const look = jest.fn(async () => found);
  const publisher = { publish: publish ?? (() => Promise.reject(new NotificationsUnusable('Topic gone does not exist'))) };
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

it.each([
  ['only a user can solve', new NotificationsUnusable('Report gone does not exist'), 'Report gone does not exist'],
  ['is unexpected', new ReportFailed('Critical', new Error('a defect')), 'Report Critical cannot be watched: see the log of the server'],
])('a problem of a report that %s is reported, while changes of the others are published', async (_, found, text) => {
  const publish = jest.fn(async () => false);
  expect(await looksWith(0, { publish, found })).toEqual([[text], 1]);
  expect(publish).toHaveBeenCalledTimes(2);
});
