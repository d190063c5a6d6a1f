import { describe, expect, it, jest } from '@jest/globals';
import type { LeasedWorkKind } from '#infra/platform/coordination/leased-work.js';
import type { SettingsDocument } from '#projections/status/notifications/queries.js';
import { eventually } from '#test/support/eventually.js';
import { turns } from '#test/support/turns.js';
import { NotificationsUnusable } from './notice-publisher.js';
import { NotificationsService } from './notifications-service.js';
import { ReportFailed } from './status-watcher.js';

const SETTINGS: SettingsDocument = { projectId: 'p', topic: 'gone', levels: ['group'], epoch: 1 };

type Faked = Readonly<{ look: unknown; publisher: unknown; pending: number; tenants?: readonly string[] }>;

/** Starts the work, and returns how to end it. `report`: called with the problem of a tenant, or `null`. */
const started = ({ look, publisher, pending, tenants = ['t'] }: Faked, report: (problem: unknown) => unknown = () => undefined) => {
  const kinds: LeasedWorkKind[] = [];
  const queries = { all: async () => tenants.map((tenantId) => ({ tenantId, settings: SETTINGS })), totals: async () => ({ pending }) };
  const background = { start: (kind: LeasedWorkKind) => kinds.push(kind) };
  const dependencies = [{ look }, publisher, queries, {}, background, { warn: () => {} }] as never as ConstructorParameters<
    typeof NotificationsService
  >;
  new NotificationsService(...dependencies).onApplicationBootstrap();
  const over = new AbortController();
  const working = kinds[0]?.work(over.signal, (_tenant, problem) => report(problem), over.signal);
  return async () => {
    over.abort();
    await working?.catch(() => undefined);
  };
};

type Parts = Readonly<{ publish?: () => Promise<boolean>; found?: Error }>;

/** Turns of a tenant, whose topic is missing by default: the number of looks once a problem is reported. */
const looksWith = async (pending: number, { publish, found }: Parts = {}): Promise<readonly [problems: unknown[], looks: number]> => {
  const look = jest.fn(async () => found);
  const publisher = { publish: publish ?? (() => Promise.reject(new NotificationsUnusable('Topic gone does not exist'))) };
  const problems: unknown[] = [];
  const end = started({ look, publisher, pending }, (problem) => problem && problems.push(problem));
  await eventually(() => problems.length).until((length) => length > 0);
  const looks = look.mock.calls.length;
  await end();
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

it('at most two tenants are looked at together', async () => {
  const tenants = Array.from({ length: 8 }, (_, index) => `t${index}`);
  const seen = new Set<string>();
  let [inside, most] = [0, 0];
  const look = async (tenantId: string): Promise<undefined> => {
    inside += 1;
    most = Math.max(most, inside);
    await turns(2);
    inside -= 1;
    seen.add(tenantId);
  };
  const end = started({ look, publisher: { publish: async () => false }, pending: 0, tenants });
  await eventually(() => seen.size).until((size) => size === tenants.length);
  await end();
  expect(most).toBe(2);
});
