import { describe, expect, it } from '@jest/globals';
import { loadConfiguration } from '#infra/platform/config/configuration.js';
import { accountingPlan } from './accounting/plan.js';
import { messagingPlan } from './messaging/plan.js';
import { type ExportedDocument, Migration } from './migration.js';
import { MigrationProgress } from './progress.js';
import type { ExportedFile } from './read/exported-files.js';
import { WrongField } from './read/fields.js';
import { MigrationReport } from './report.js';
import { statusPlan } from './status/plan.js';
import { isCompared, type MigrationPlan, type Row, readingsOf, takeAll, verifyAll } from './table.js';
import { LogWriter } from './write/log-writer.js';
import { dryTarget } from './write/target.js';

const migrationOf = (options: object = {}): Migration =>
  new Migration({
    files: [],
    options,
    found: undefined,
    configuration: loadConfiguration({ LOGBOOK_DATA_DIR: 'none' }),
    target: dryTarget(),
    writer: new LogWriter(dryTarget(), 'status', true),
    report: new MigrationReport({ service: 'status', directory: '', dryRun: true }, undefined),
    dryRun: true,
    progress: new MigrationProgress({ isTTY: false, write: () => true }),
  });

/** A plan of two databases that logs its steps. */
const logged = (rows: (log: string[]) => readonly Row<Migration, string>[]): Readonly<{ plan: MigrationPlan; log: string[] }> => {
  const log: string[] = [];
  const plan: MigrationPlan<object, unknown, string> = {
    service: 'status',
    select: (files) => files,
    findings: () => undefined,
    queries: () => 'answers',
    parts: [
      {
        begin: () => void log.push('begin'),
        scopes: () => [{ database: 'a' }, { database: 'b' }],
        rows: rows(log),
      },
    ],
  };
  return { plan, log };
};

const row = (log: string[], collection: string): Row<Migration, string> => ({
  collection,
  take: (_migration, { database }) => {
    log.push(`${database} ${collection}`);
    return { each: async () => 'written', end: async () => void log.push(`end of ${database} ${collection}`) };
  },
});

const fileOf = (collection: string): ExportedFile => ({ path: '', database: '', collection, format: 'json', gzipped: false, bytes: 1 });

describe('a table', () => {
  it('is taken over database by database, and a collection ends even without a file', async () => {
    const { plan, log } = logged((steps) => [row(steps, 'x'), row(steps, 'y')]);
    await takeAll(plan, migrationOf());
    const steps = ['a x', 'end of a x', 'a y', 'end of a y', 'b x', 'end of b x', 'b y', 'end of b y'];
    expect(log).toEqual(['begin', ...steps]);
  });
  it('leaves out collections that the options exclude', async () => {
    const isTaken = (options: object) => 'points' in options;
    const { plan, log } = logged((steps) => [{ ...row(steps, 'x'), isTaken }]);
    await takeAll(plan, migrationOf());
    expect(log).toEqual(['begin']);
    expect([readingsOf(plan, fileOf('x'), {}), readingsOf(plan, fileOf('x'), { points: true })]).toEqual([0, 1]);
  });
  it('keeps no document of a collection that is not compared, as there may be very many, and counts left out repeats by reason', async () => {
    const migration = migrationOf();
    const compared = { expected: () => undefined, found: async () => undefined };
    const { plan } = logged((steps) => [{ ...row(steps, 'x'), repeats: true }, { ...row(steps, 'y'), compared }, row(steps, 'z')]);
    await takeAll(plan, migration);
    const { report } = migration;
    for (const collection of ['x', 'y', 'z']) {
      for (const id of ['1', '2']) report.left({ collection, id, place: `${collection}:${id}` }, 'a repeat');
      report.refused({ collection, id: '3', place: `${collection}:3` }, 'broken');
    }
    const isLeft = (id: string) => ['x', 'y', 'z'].map((collection) => report.isLeft({ collection, id, place: `${collection}:${id}` }));
    expect([isLeft('1'), isLeft('3')]).toEqual([
      [false, true, false],
      [false, true, false],
    ]);
    expect(report.summary()).toMatchObject({
      left: { x: { 'a repeat': 2 } },
      refused: { x: { broken: 1 }, y: { broken: 1 }, z: { broken: 1 } },
    });
    expect(report.text()).toContain('left out of x, by reason:\n  2: a repeat\nrefused x: 1');
    for (const collection of ['y', 'z']) expect(report.text()).toContain(`left ${collection}: 2`);
  });
  it('adds the counts of its databases, and expects the documents taken over if nothing else is named', async () => {
    const migration = migrationOf();
    migration.report.of('y').taken = 3;
    const { plan } = logged((steps) => [
      { ...row(steps, 'x'), counted: async ({ scope }) => ({ expected: 2, found: scope.database === 'a' ? 2 : 1 }) },
      { ...row(steps, 'y'), counted: async ({ scope }) => (scope.database === 'a' ? 3 : undefined) },
    ]);
    await verifyAll(plan, migration, {} as Parameters<typeof verifyAll>[2]);
    const none = { compared: 0, different: 0, missing: 0 };
    expect(Object.fromEntries(migration.report.verified)).toEqual({
      x: { ...none, counted: { expected: 4, found: 3 } },
      y: { ...none, counted: { expected: 3, found: 3 } },
    });
  });
  it('compares the documents after one of which a member cannot be read', async () => {
    const documents = ['1', '2'].map((id) => {
      const place = { collection: 'x', id, place: `x:${id}` };
      return { fields: {}, place, origin: { collection: 'x', id } };
    });
    const migration = Object.assign(migrationOf(), {
      files: [{ ...fileOf('x'), database: 'a' }],
      read: async function* () {
        yield* documents;
      },
    });
    const expected = ({ origin }: ExportedDocument) => {
      if (origin.id === '1') throw new WrongField('day must be a date');
      return {};
    };
    const { plan } = logged((steps) => [{ ...row(steps, 'x'), compared: { expected, found: async () => ({}) } }]);
    await verifyAll(plan, migration, {} as Parameters<typeof verifyAll>[2]);
    expect(migration.report.verified.get('x')).toEqual({ compared: 2, different: 1, missing: 0 });
    expect(migration.report.text()).toContain('different x: 1\n  1 (x:1): day must be a date');
  });
});

describe('the tables of the services', () => {
  const plans: readonly MigrationPlan[] = [accountingPlan, messagingPlan, statusPlan];
  const rows = plans.flatMap(({ parts }) => parts.flatMap((part) => part.rows));
  it('have each collection once', () => expect(new Set(rows.map(({ collection }) => collection)).size).toBe(rows.length));
  it('compare or count every collection but those that no query shows', () => {
    const neither = rows.filter(({ compared, counted }) => !compared && !counted).map(({ collection }) => collection);
    expect(neither).toEqual(['Setting', 'daily_topic_msg_count', 'authentication', 'status_metrics']);
  });
  it('read no other collections', () => {
    for (const plan of plans) expect([readingsOf(plan, fileOf('roles'), {}), isCompared(plan, fileOf('roles'))]).toEqual([0, false]);
  });
});
