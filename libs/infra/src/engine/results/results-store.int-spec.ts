import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { GroupDay, ResultsDay } from '#domain/status/results/results.js';
import { forAny } from '#test/support/for-any.js';
import { resultsDays } from '#test/support/results/arbitrary-results.js';
import { runs } from '#test/support/test-runs.js';
import { type Proof, type ReportDay, ResultsStore } from './results-store.js';

let directory: string;
let store: ResultsStore;
let reports: string[];

const open = (maxBytes?: number): ResultsStore =>
  ResultsStore.open({ path: join(directory, 'results'), report: (message) => reports.push(message), ...(maxBytes && { maxBytes }) });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'logbook-results-'));
  reports = [];
  store = open();
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const key = (day: string, report = 'r', tenantId = 't'): ReportDay & { name: string } => ({
  tenantId,
  report,
  day,
  name: `name of ${report}`,
});
const proof = (points: string, plan = 'p'): Proof => ({ plan, points, seconds: 86_400, at: 1 });
const row = (status: string) => ({
  timeline: [{ at: 0, status }],
  flagged: false,
  figures: { availability: 100, reliability: 100, unknown: 0, uptime: 1, downtime: 0 },
});
const group = (name: string, status = 'OK', hosts = 1): GroupDay => ({
  ...row(status),
  name,
  services: [
    {
      ...row(status),
      service: 'CE',
      endpoints: Array.from({ length: hosts }, (_, number) => ({ ...row(status), host: `h${number}.${status}`, metrics: [] })),
    },
  ],
});
const results = (...groups: readonly GroupDay[]): ResultsDay<GroupDay> => ({ day: '2024-01-01', seconds: 86_400, groups, supergroups: [] });

describe('Stored results', () => {
  it('are found by what they were computed from, and by nothing else, whatever was written before', () =>
    forAny(
      runs(40),
      fc.array(fc.tuple(fc.constantFrom('r1', 'r2'), fc.constantFrom('p1', 'p2'), fc.constantFrom('a', 'b'), resultsDays), {
        maxLength: 8,
      }),
      (writings) => {
        const last = new Map<string, readonly [ReportDay, Proof, ResultsDay<GroupDay>]>();
        for (const [report, plan, points, day] of writings) {
          const written = key(day.day, report);
          store.write(written, proof(points, plan), day);
          last.set(JSON.stringify(written), [written, proof(points, plan), day]);
        }
        for (const [written, right, day] of last.values()) {
          expect(store.summary(written, right)?.groups.map(({ name }) => name)).toEqual(day.groups.map(({ name }) => name));
          for (const one of day.groups) expect(store.group(written, right, one.name)).toEqual(one);
          const wrong = [proof('c', right.plan), proof(right.points, 'p3')];
          for (const other of wrong) {
            expect(store.summary(written, other)).toBeUndefined();
            for (const { name } of day.groups) expect(store.group(written, other, name)).toBeUndefined();
          }
          expect(store.group(written, right, 'no such group')).toBeUndefined();
        }
        store.remove(store.days());
        expect(store.bytes).toBe(0);
      },
    ));

  it('are written for the groups that changed, the others stay', () => {
    const day = key('2024-01-01');
    store.write(day, proof('1'), results(group('A'), group('B')));
    store.write(day, proof('2'), results(group('A', 'CRITICAL'), group('B', 'not written')), new Set(['A']));
    expect(store.group(day, proof('2'), 'A')).toEqual(group('A', 'CRITICAL'));
    expect(store.group(day, proof('2'), 'B')).toEqual(group('B'));
    store.write(day, proof('3', 'other plan'), results(group('A', 'X'), group('B', 'Y')), new Set(['A']));
    expect(store.group(day, proof('3', 'other plan'), 'B')).toEqual(group('B', 'Y'));
    store.write(day, proof('4', 'other plan'), results(group('B', 'Z')), new Set());
    expect(store.group(day, proof('4', 'other plan'), 'B')).toEqual(group('B', 'Y'));
    expect(store.group(day, proof('4', 'other plan'), 'A')).toBeUndefined();
  });

  it('survive a restart', async () => {
    store.write(key('2024-01-01'), proof('1'), results(group('A')));
    await store.close();
    store = open();
    expect([...store.reports()]).toEqual([{ tenantId: 't', report: 'r', name: 'name of r' }]);
    expect(store.group(key('2024-01-01'), proof('1'), 'A')).toEqual(group('A'));
    expect(reports).toEqual([]);
  });

  it('are confirmed by another proof', () => {
    store.write(key('2024-01-01'), proof('1'), results(group('A')));
    store.confirm(key('2024-01-01'), proof('2'));
    store.confirm(key('2024-01-02'), proof('2'));
    expect(store.summary(key('2024-01-01'), proof('1'))).toBeUndefined();
    expect(store.group(key('2024-01-01'), proof('2'), 'A')).toEqual(group('A'));
    expect(store.proof(key('2024-01-02'))).toBeUndefined();
  });

  it('leave when there is no room, the oldest days first', async () => {
    await store.close();
    store = open(2_500);
    const days = ['2024-01-03', '2024-01-01', '2024-01-04', '2024-01-02'];
    for (const day of days) store.write(key(day), proof(day), results(group('A', day, 200)));
    const kept = [...store.days()].map(({ day }) => day);
    expect(kept[0]).toBe('2024-01-04');
    expect(kept).not.toContain('2024-01-01');
    expect(store.bytes).toBeLessThanOrEqual(2_500);
    expect(store.group(key('2024-01-02'), proof('2024-01-02'), 'A')).toEqual(group('A', '2024-01-02', 200));
  });

  it('are not shown when a byte of them has changed', async () => {
    store.write(key('2024-01-01'), proof('1'), results(group('A', 'OK', 50)));
    const before = store.group(key('2024-01-01'), proof('1'), 'A');
    await store.close();
    const file = join(directory, 'results', 'data.mdb');
    const marker = readFileSync(join(directory, 'results', 'store.json'), 'utf8');
    const sound = readFileSync(file);
    for (let at = 0; at < sound.length; at += 4_099) {
      const damaged = Buffer.from(sound);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(file, damaged);
      writeFileSync(join(directory, 'results', 'store.json'), marker);
      store = open();
      const read = store.group(key('2024-01-01'), proof('1'), 'A');
      expect(read ?? before).toEqual(before);
      await store.close();
    }
    store = open();
  });
});
