import { addReport, metricData, pointsOf, REPORT, type Served, WORLD } from '#test/bench/inputs/results-data.js';
import type { BenchTenant } from '#test/bench/inputs/status-data.js';
import type { LoadRequest } from '#test/bench/load.js';
import type { MixedWorld } from '#test/bench/mixed-world.js';
import type { Child } from '#test/bench/servers/child.js';
import { type CapacityStep, STATUS_READS } from './model.js';

const POINTS = 100;
const DAY_MS = 86_400_000;
/** Rounds of points of a day. */
const EACH = 288;

const today = (): string => new Date().toISOString().slice(0, 10);

/** Bodies of so many points of today up to now, over and over. */
const pointBodies = (): (() => string) => {
  const seconds = Math.max(EACH, Math.floor((Date.now() % DAY_MS) / 1_000));
  const fresh = () => pointsOf({ day: today(), each: EACH, seconds });
  let points = fresh();
  return () => {
    const taken: string[] = [];
    while (taken.length < POINTS) {
      const { value, done } = points.next();
      if (done) points = fresh();
      else taken.push(value);
    }
    return `[${taken}]`;
  };
};

/** What a report is computed from comes and is read, besides all other steps. */
export const withResults = async (world: MixedWorld, { url }: Child, tenant: BenchTenant): Promise<MixedWorld<CapacityStep>> => {
  const served: Served = { url, tenant };
  await addReport(served);
  const next = pointBodies();
  const { method, headers } = metricData(served);
  const sending: LoadRequest = { method, path: '/api/v2/metric_data', headers, body: next(), vary: () => ({ body: next() }) };
  const span = `start_time=${today()}T00:00:00Z&end_time=${today()}T23:59:59Z`;
  const status = (group: number): LoadRequest => ({
    method: 'GET',
    path: `/api/v2/status/${REPORT}/SITES/SITE-${`${group % WORLD.groups}`.padStart(3, '0')}?${span}`,
    headers: tenant.headers,
  });
  return {
    requests: (step, connection) => {
      if (step === 'send 100 points') return [sending];
      if (step === 'read a status') return [status(connection)];
      if (step === 'send 100 points and read 10 statuses')
        return [sending, ...Array.from({ length: STATUS_READS }, () => status(connection))];
      return world.requests(step, connection);
    },
  };
};
