import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lastingFindings } from '#api/runtime/lasting-findings.js';
import type { Job } from '#infra/engine/jobs/job.js';
import { JobStore } from '#infra/engine/jobs/job-store.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { renewNamespace } from '#infra/platform/coordination/own-namespace.js';
import { openRunnerLab, type RunnerLab } from '#test/support/projections/runner-lab.js';
import { FindingsOfJobs } from './verified.js';

/** More than a list has. */
const MOST_ENDED = 110;
const NOW = Date.UTC(2026, 2, 2, 12);
let minute = 0;
let lab: RunnerLab;
beforeEach(async () => {
  minute = 0;
  lab = await openRunnerLab('embedded');
});
afterEach(() => lab.dispose());

const job = (kind: string, input: Job['input'], details: Job['details'], state: Job['state'] = 'done'): Job => {
  const at = new Date(Date.UTC(2026, 2, 1, 12, ++minute)).toISOString();
  return {
    id: `${minute}`,
    kind,
    state,
    startedAt: at,
    endedAt: state === 'running' ? null : at,
    failure: null,
    input,
    details,
    resume: null,
  };
};
const ofLog = (from: number, index?: number, state?: Job['state']): Job => {
  const problem = index === undefined ? null : { index, position: `${index}`, kind: 'altered', detail: 'its event is not what it was' };
  return job('audit.verification', { from, anchors: [], total: 10 }, { intact: problem === null, problem }, state);
};
/** A log of ten events, with anchors of the auditor. */
const withAnchors = (
  sizes: readonly number[],
  problem: Readonly<{ index: number; kind: 'anchor' | 'missing' }> | null,
  root = 'a'.repeat(64),
): Job => {
  const anchors = sizes.map((size) => ({ size, root }));
  const details = { intact: problem === null, verifiedTo: 10, problem: problem && { ...problem, position: null, detail: 'not that root' } };
  return job('audit.verification', { from: 0, anchors, total: 10 }, details);
};
const verified = (projection: string, differenceCount: number | null, state?: Job['state'], build?: string): Job =>
  job('verification', { projection, build }, { projection, differenceCount, equal: differenceCount === 0 }, state);
const rebuilt = (projection: string, state?: Job['state']): Job => job('rebuild', { projection }, { projection, processed: 7 }, state);

/** @param jobs all jobs there are, in the order of their ends */
const found = async (...jobs: readonly Job[]) => {
  const { store } = lab;
  await renewNamespace(store, 'ops.jobs');
  const kept = new JobStore(store, () => NOW, lastingFindings, MOST_ENDED);
  for (const one of jobs) await kept.add(({ number }) => ({ ...one, number, exclusive: null, cancelled: false, holder: null }));
  const findings = new FindingsOfJobs(new Jobs({ store, now: () => NOW, log: console }), { build: async () => '1.7' });
  const { log, differences } = await findings.look();
  return { log: log?.index ?? null, differences: Object.fromEntries(differences) };
};

describe('What jobs have found', () => {
  it('is nothing where none was asked for', async () => expect(await found()).toEqual({ log: null, differences: {} }));

  it('is a problem of the log until a later verification has read the event and found nothing', async () => {
    expect((await found(ofLog(0, 7))).log).toBe(7);
    expect((await found(ofLog(0, 7), ofLog(5, undefined, 'running'))).log).toBe(7);
    expect((await found(ofLog(0, 7), ofLog(5, undefined, 'failed'))).log).toBe(7);
    expect((await found(ofLog(0, 7), ofLog(8))).log).toBe(7);
    expect((await found(ofLog(0, 7), ofLog(5))).log).toBeNull();
    expect((await found(ofLog(0), ofLog(0, 3, 'running'))).log).toBe(3);
  });

  it('is an older problem where a newer one is disproved', async () => {
    expect((await found(ofLog(0, 3), ofLog(0, 7), ofLog(5))).log).toBe(3);
    expect((await found(ofLog(0, 3), ofLog(0, 7), ofLog(0))).log).toBeNull();
  });

  it('is what anchors of an auditor show, whatever those find who do not give them', async () => {
    const altered = withAnchors([4, 8], { index: 7, kind: 'anchor' });
    expect((await found(altered, withAnchors([], null))).log).toBe(7);
    expect((await found(altered, withAnchors([4], null))).log).toBe(7);
    expect((await found(altered, withAnchors([8], null, 'b'.repeat(64)))).log).toBe(7);
    expect((await found(altered, withAnchors([8], null))).log).toBeNull();
    expect((await found(withAnchors([4], { index: 7, kind: 'anchor' }), withAnchors([], null))).log).toBeNull();
    const shorter = withAnchors([12], { index: 10, kind: 'missing' });
    expect((await found(shorter, withAnchors([], null))).log).toBe(10);
    expect((await found(shorter, withAnchors([12], null))).log).toBeNull();
  });

  it('is refuted without comparing all anchors with all others', () => {
    let compared = 0;
    const anchorsOf = (size: number) =>
      Array.from({ length: 1_000 }, (_, at) => ({
        get size() {
          compared += 1;
          return at === 999 ? 8 : size;
        },
        root: 'a'.repeat(64),
      }));
    const [problem, intact] = [withAnchors([], { index: 7, kind: 'anchor' }), withAnchors([], null)];
    const jobs = [
      { ...intact, input: { ...intact.input, anchors: anchorsOf(4) } },
      { ...problem, input: { ...problem.input, anchors: anchorsOf(8) } },
    ];
    expect(lastingFindings(jobs)).toEqual([]);
    expect(compared).toBeLessThan(10_000);
  });

  it('is differences of what is served, not of a build before it', async () => {
    expect((await found(verified('a', 2, 'done', '1.7'))).differences).toEqual({ a: 2 });
    expect((await found(verified('a', 2, 'done', '1.6'))).differences).toEqual({});
  });

  it('is differences of a read model until it is rebuilt, or verified as equal', async () => {
    expect((await found(verified('a', 2), verified('b', 0))).differences).toEqual({ a: 2 });
    expect((await found(verified('a', 2), rebuilt('a', 'failed'), rebuilt('b'))).differences).toEqual({ a: 2 });
    expect((await found(verified('a', 2), verified('a', null, 'cancelled'))).differences).toEqual({ a: 2 });
    expect((await found(verified('a', 2), rebuilt('a'))).differences).toEqual({});
    expect((await found(rebuilt('a'), verified('a', 2), verified('a', 0))).differences).toEqual({});
  });

  it('counts for seven days, however many jobs end meanwhile, and no longer than it is not refuted', async () => {
    const others = (most: number): readonly Job[] => Array.from({ length: most }, () => ofLog(8));
    for (const count of [101, MOST_ENDED + 1]) {
      expect(await found(verified('a', 2), ofLog(0, 7), ...others(count))).toEqual({ log: 7, differences: { a: 2 } });
    }
    const refuted = [verified('a', 2), ofLog(0, 7), ...others(MOST_ENDED + 1), verified('a', 0), ofLog(0)];
    for (const count of [0, MOST_ENDED]) {
      expect(await found(...refuted, ...others(count))).toEqual({ log: null, differences: {} });
    }
  });

  it('is asked for again after a failure, and else every ten seconds at most', async () => {
    let asked = 0;
    const all = async () => {
      if (++asked <= 3) throw new Error('away');
      return [];
    };
    const findings = new FindingsOfJobs({ all }, { build: async () => null });
    await expect(findings.look()).rejects.toThrow('away');
    expect(findings.known).toBeNull();
    await findings.look();
    expect(findings.known).toEqual(await findings.look());
    expect(asked).toBe(6);
  });
});
