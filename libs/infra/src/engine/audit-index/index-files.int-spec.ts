import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AuditLab, type Happening } from '#test/support/audit/audit-lab.js';
import { until } from '#test/support/eventually.js';
import { isFullRun, SEED } from '#test/support/test-runs.js';
import { AuditIndexIncomplete, CURRENT, FollowedIndexFiles } from './index-files.js';
import type { AuditEvents } from './open-audit-index.js';
import { IndexWriter } from './writing/index-writer.js';

let lab: AuditLab;
beforeEach(() => {
  lab = new AuditLab();
});
afterEach(() => lab.close());

const DAY = Date.parse('2024-01-01T00:00:00Z');
const STREAMS = ['status.reports-1', 'status.reports-2', 'tests', 'messaging.messages-é'];
const ACTORS = ['ada', 'bob', 'é\u0000key'];

const happening = (at: number): Happening => ({
  stream: STREAMS[at % STREAMS.length] as string,
  type: at % 5 === 0 ? 'Created' : 'Revised',
  actor: { kind: at % 2 === 0 ? 'key' : 'user', id: ACTORS[at % ACTORS.length] as string },
  service: at % 7 === 0 ? 'ops' : 'status',
  request: `r${at}`,
  correlation: at % 4 === 0 ? `r${at}` : 'c',
  causation: at % 3 === 0 ? `r${at}` : at % 3 === 1 ? `e${at % 6}` : 'c',
  time: DAY + at,
});

const happenings = (count: number, from = 0): readonly Happening[] => Array.from({ length: count }, (_, at) => happening(from + at));

/** Names of files of an index. */
const OWN = /^(current|journal-|piece-)/;

const FILTERS = [
  {},
  ...STREAMS.map((stream) => ({ stream })),
  ...ACTORS.map((actor) => ({ actor })),
  { category: 'status.reports', types: ['Created', 'Nothing'] },
  { service: 'ops' as const },
  { correlation: 'c', actor: 'ada' },
  { correlation: 'r8' },
  { request: 'r8' },
  { request: 'r9' },
  ...['r9', 'r8', 'c', 'e1', 'e4'].map((causation) => ({ causation })),
];

/** Collects every answer of an index. */
const answersOf = async ({ index }: AuditEvents): Promise<unknown> => {
  const { size } = index.checkpoint();
  const found = async (order: 'asc' | 'desc') =>
    Promise.all(
      FILTERS.map(async (filter) => {
        const span = order === 'asc' ? { start: 0, end: size - 1 } : { start: size - 1, end: 0 };
        return index.select(filter)?.find({ order, ...span }, size, size * 4);
      }),
    );
  const events = Array.from({ length: size }, (_, at) => index.event(at));
  return {
    events,
    found: [await found('asc'), await found('desc')],
    categories: index.tallies.categories(),
    actors: index.tallies.actorsAfter(undefined, 100),
    streams: [...index.streamsOf('status.reports')],
    places: STREAMS.map((stream) => [index.indexOfRevision(stream, 3), index.revisionBeside(stream, 9, 'desc'), index.hasStream(stream)]),
    moments: await Promise.all(events.map(({ position }) => index.atPosition(position))),
  };
};

/** Copies the files of an index as they are on disk now to a directory of the lab. */
const copyOf = (from: string, name: string): string => {
  mkdirSync(join(lab.pathOf(name), 'audit'), { recursive: true });
  cpSync(join(lab.pathOf(from), 'audit', 'index'), join(lab.pathOf(name), 'audit', 'index'), { recursive: true });
  return join(lab.pathOf(name), 'audit', 'index');
};

const filesIn = (path: string, start: string): readonly string[] => readdirSync(path).filter((file) => file.startsWith(start));

describe('An index in files', () => {
  it('has few pieces, which hold all events but the last ones, and no other files', async () => {
    await lab.append(...happenings(80));
    const audit = await lab.indexed('kept');
    const expected = await answersOf(audit);
    expect(audit.index.tallies.actor('user', 'bob')).toMatchObject({
      firstSeen: DAY + 1,
      lastSeen: DAY + 79,
      events: 14,
      services: ['ops', 'status'],
    });
    const path = join(lab.pathOf('kept'), 'audit', 'index');
    await until(async () => filesIn(path, 'piece').length <= 5);
    expect(await answersOf(audit)).toEqual(expected);
    await audit.close();
    expect(filesIn(path, '').filter((file) => !OWN.test(file))).toEqual([]);
    expect(filesIn(path, 'journal').length).toBeLessThanOrEqual(1);
  });

  it('goes on behind a batch that was torn at any byte', async () => {
    await lab.append(...happenings(22));
    const first = await lab.indexed('torn');
    await lab.append(happening(22));
    await lab.caughtUp(first);
    const expected = await answersOf(first);
    await first.close();
    const path = join(lab.pathOf('torn'), 'audit', 'index');
    const [journal] = filesIn(path, 'journal') as [string];
    const { size } = statSync(join(path, journal));
    const step = isFullRun ? 1 : 13;
    for (let bytes = SEED % step; bytes < size; bytes += step) {
      const copy = copyOf('torn', `torn-${bytes}`);
      truncateSync(join(copy, journal), bytes);
      if (bytes % 2 === 0) writeFileSync(join(copy, journal), Buffer.alloc(5_000), { flag: 'a' }); // a power failure may leave zeros
      const audit = await lab.indexed(`torn-${bytes}`);
      expect(await answersOf(audit)).toEqual(expected);
      await audit.close();
    }
  });

  it('is kept while a file cannot be read for a reason other than damage', async () => {
    await lab.append(...happenings(80));
    const audit = await lab.indexed('kept');
    const { build } = audit.index;
    await audit.close();
    const path = join(lab.pathOf('kept'), 'audit', 'index');
    const journal = join(path, /journal-[\da-f-]+/.exec(readFileSync(join(path, CURRENT), 'utf8'))?.[0] ?? '');
    rmSync(journal, { force: true });
    mkdirSync(journal); // EISDIR, in place of EMFILE
    const open = () => IndexWriter.open({ path, report: () => undefined, fits: async () => true });
    await expect(open()).rejects.toMatchObject({ code: 'EISDIR' });
    const reader = new FollowedIndexFiles(path, () => undefined);
    expect(() => reader.salt).toThrow(AuditIndexIncomplete);
    rmdirSync(journal);
    expect((await lab.indexed('kept')).index.build).toBe(build);
  });

  it('is never wrong with a byte that was flipped anywhere, or a file that is gone: it is built anew', async () => {
    await lab.append(...happenings(26));
    const known = await lab.indexed('sound');
    const expected = await answersOf(known);
    await known.close();
    const path = join(lab.pathOf('sound'), 'audit', 'index');
    const places = filesIn(path, '').flatMap((file) => Array.from({ length: statSync(join(path, file)).size }, (_, at) => ({ file, at })));
    const step = isFullRun ? 7 : 61;
    for (const { file, at } of places.filter((_, place) => place % step === SEED % step)) {
      const name = `flipped-${file}-${at}`;
      const copy = copyOf('sound', name);
      const bytes = readFileSync(join(copy, file));
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(join(copy, file), bytes);
      await expectSame(name, expected);
    }
    for (const file of filesIn(path, '')) {
      rmSync(join(copyOf('sound', `gone-${file}`), file));
      await expectSame(`gone-${file}`, expected);
    }
  });

  /** Expects that reads of the damaged index fail or are right, and that it is soon complete again. */
  const expectSame = async (name: string, expected: unknown): Promise<void> => {
    const audit = lab.open(name);
    await until(async () => {
      if (!(await audit.index.reached(await lab.log.head(), 0))) return false;
      const answers = await answersOf(audit).catch((error: unknown) => {
        if (error instanceof Error && error.name === 'AuditIndexIncomplete') return undefined;
        throw error;
      });
      if (answers) expect(answers).toEqual(expected);
      return answers !== undefined;
    });
    await audit.close();
    rmSync(lab.pathOf(name), { recursive: true });
  };

  it('goes on from a copy of its directory that was taken while it was written', async () => {
    const audit = lab.open('written');
    await until(async () => existsSync(join(lab.pathOf('written'), 'audit', 'index')));
    for (let at = 0; at < 60; at++) {
      await lab.append(happening(at));
      if (at % 6 === 5) copyOf('written', `copied-${at}`);
    }
    await lab.caughtUp(audit);
    const expected = await answersOf(audit);
    for (let at = 5; at < 60; at += 6) await expectSame(`copied-${at}`, expected);
  });

  it('of an older release is removed, and built again', async () => {
    await lab.append(...happenings(7));
    const path = join(lab.pathOf('old'), 'audit', 'index');
    mkdirSync(join(path, 'data.mdb.4711'), { recursive: true });
    for (const file of ['data.mdb', 'lock.mdb', 'store.json']) writeFileSync(join(path, file), 'of an older release');
    const { index } = await lab.indexed('old');
    expect(index.checkpoint().size).toBe(7);
    expect(filesIn(path, '').filter((file) => !OWN.test(file))).toEqual([]);
    expect(filesIn(path, CURRENT)).toEqual([CURRENT]);
  });

  it('is filled by two who do not know one another, and read by a third', async () => {
    const [one, other] = [lab.open('shared'), lab.open('shared')];
    for (let from = 0; from < 90; from += 9) await lab.append(...happenings(9, from));
    await lab.caughtUp(one);
    await lab.caughtUp(other);
    const alone = await lab.indexed('alone');
    const expected = await answersOf(alone);
    for (const audit of [one, other, lab.open('shared')]) {
      await lab.caughtUp(audit);
      expect(await answersOf(audit)).toEqual(expected);
    }
  });
});
