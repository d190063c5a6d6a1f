import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isChained } from '#domain/integrity/chained.js';
import { ANCHORS_STREAM, type Anchor, integrityCatalogues, LEAVES_STREAM } from '#domain/integrity/integrity-events.js';
import { Frontier } from '#domain/integrity/merkle.js';
import { ACCESS_KEYS_CATEGORY, ACCESS_KEYS_STREAM, accessKeyEvents } from '#domain/operations/access-keys.js';
import { LOG_CATEGORY, LOG_STREAM, logEvents } from '#domain/operations/log-events.js';
import type { JsonObject, RecordedEvent } from '#domain/shared/events.js';
import { LeafBatcher } from '#infra/engine/integrity/leaf-batch.js';
import { openEmbeddedEventStore } from '#infra/stores/event-store/embedded/embedded-event-store.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import { chain, eventAt, signedAnchor, signingKey } from '#test/support/integrity/chained-log.js';
import { exportedLines } from '#test/support/integrity/exported-lines.js';
import { leafOfLine } from './export-lines.js';
import type { TrustedKeys } from './import-trust.js';
import { type ImportedLog, importLog } from './log-import.js';

const CATALOGUES = {
  ...integrityCatalogues,
  [LOG_CATEGORY]: logEvents,
  [ACCESS_KEYS_CATEGORY]: accessKeyEvents,
  'messaging.messages': { Happened: {} },
  'test.things': { Happened: {} },
};
const CURSOR_OF_NOBODY = 'messaging.messages-gone';

type LeafLine = Parameters<typeof leafOfLine>[0];
type Line = { [member: string]: unknown } & { data?: JsonObject };

let root: string;
let lines: readonly string[];
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'logbook-hostile-'));
  const log = openEmbeddedEventStore({ path: join(root, 'source'), chained: true });
  const installation = await new LogIdentity(log).open();
  await log.append(ACCESS_KEYS_STREAM, [keyIssued('0', `hmac-${'a'.repeat(64)}`)], 'any');
  for (let n = 0; n < 4; n++) await log.append('test.things-1', [eventAt(n, { n })], 'any');
  await log.append(CURSOR_OF_NOBODY, [eventAt(5, {}), eventAt(5, {})], 'any');
  await log.append('test.things-2', [eventAt(6, { last: true })], 'any');
  await chain(log, 3, installation);
  await log.truncate(CURSOR_OF_NOBODY, 2n);
  await log.append('test.things-2', [eventAt(7, { unsigned: true })], 'any');
  await log.sweep();
  lines = await exportedLines(log, CATALOGUES);
  await log.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const keyIssued = (digit: string, keyHash: string) => ({
  ...eventAt(8, { keyId: `00000000-0000-4000-8000-00000000000${digit}`, service: 'ops', roles: ['operator'], name: 'mine', keyHash }),
  type: 'AccessKeyIssued',
});

/** By default accepts events behind the last anchor. */
const imported = async (
  file: Iterable<string | Buffer>,
  keys: TrustedKeys = [signingKey],
  { unsignedTail = true, isChecked = false } = {},
): Promise<ImportedLog> => {
  const target = openEmbeddedEventStore({ path: join(root, randomBytes(6).toString('hex')), chained: true });
  const input = () => Readable.from([...file].map((line) => (typeof line === 'string' ? Buffer.from(`${line}\n`) : line)));
  const check = isChecked ? input() : undefined;
  try {
    return await importLog({ target, input: input(), check, catalogues: CATALOGUES, keys, unsignedTail, retentionOf: () => ({}) });
  } catch (error) {
    if (isChecked) expect(await target.head()).toBe(0n); // nothing was written
    throw error;
  } finally {
    await target.close();
  }
};

const parsed = (): Line[] => lines.map((line) => JSON.parse(line) as Line);
const written = (file: readonly Line[]): readonly string[] => file.map((line) => JSON.stringify(line));

/** The file with a rebuilt chain, as forged without the key. Anchors are removed or kept unchanged. */
const forged = (change: (events: Line[]) => Line[], keepsAnchors = false): readonly string[] => {
  const [header = {}, ...rest] = parsed();
  const events = change(
    rest.filter(({ end, stream }) => end !== true && stream !== LEAVES_STREAM && (keepsAnchors || stream !== ANCHORS_STREAM)),
  );
  const batcher = new LeafBatcher({ size: 0, frontier: '', time: null });
  const tree = Frontier.empty();
  for (const event of events) {
    if (event.expired === true || !isChained(String(event.stream))) continue;
    const leaf = leafOfLine(event as LeafLine);
    [event.index, event.hash] = [tree.size, leaf.toString('hex')];
    tree.append(leaf);
    batcher.add({ ...event, revision: BigInt(Number(event.revision)) } as RecordedEvent);
  }
  const { metadata, position } = events[0] ?? {};
  const leaves = { index: null, position, stream: LEAVES_STREAM, revision: 0, id: randomUUID(), type: 'LeavesChained', metadata };
  const all = [...events.filter(({ expired }) => expired !== true), { ...leaves, data: batcher.take().data }];
  return written([{ ...header, size: tree.size, root: tree.root().toString('hex') }, ...all, { end: true, lines: all.length }]);
};

/** The file with one more event and a longer chain. */
const appended = (stream: string, revision: number, event: Omit<LeafLine, 'stream' | 'revision'>): readonly string[] => {
  const [header = {}, ...rest] = parsed();
  const events = rest.slice(0, -1);
  const tree = Frontier.empty();
  for (const { index, hash } of events) if (typeof index === 'number') tree.append(Buffer.from(String(hash), 'hex'));
  const line = { index: tree.size, position: '9999', stream, revision, ...event };
  const leaf = leafOfLine(line);
  tree.append(leaf);
  const all = [...events, { ...line, hash: leaf.toString('hex') }];
  return written([{ ...header, size: tree.size, root: tree.root().toString('hex') }, ...all, { end: true, lines: all.length }]);
};

const numberOf = (text: string): number => lines.findIndex((line) => line.includes(text)) + 1;

describe('an import with keys', () => {
  it('takes what was signed, and says up to where', async () => {
    const { size, signedTo } = await imported(lines);
    expect([size, signedTo]).toEqual([10, 9]);
    expect(await imported(lines, null)).toMatchObject({ size: 10, signedTo: null });
  });

  it('takes no events behind the last anchor, which anybody can append, unless they are asked for', async () => {
    const tail = appended('test.things-2', 2, { ...eventAt(9, { forged: true }) });
    for (const [file, count] of [
      [lines, 1],
      [tail, 2],
    ] as const)
      for (const isChecked of [true, false])
        await expect(imported(file, [signingKey], { unsignedTail: false, isChecked })).rejects.toThrow(
          `the last anchor of the export has size 9, and nobody has signed the ${count} later events`,
        );
    expect(await imported(tail, [signingKey], { isChecked: true })).toMatchObject({ size: 11, signedTo: 9 });
  });

  it('takes no file that somebody else has made', async () => {
    const other = { kid: 'other', x: Buffer.alloc(32, 9).toString('base64url') };
    await expect(imported(lines, [other])).rejects.toThrow(/^line \d+: .*none of the given keys/);
    const things = (events: Line[]): Line[] =>
      events.map((event) => (event.stream === 'test.things-1' ? { ...event, data: { n: 99 } } : event));
    await expect(imported(forged(things))).rejects.toThrow('not verified: no anchor');
    await expect(imported(forged(things, true))).rejects.toThrow(/^line \d+: the anchor of size 9/);
    expect(await imported(forged(things), null)).toMatchObject({ signedTo: null });
  });

  it('takes no installation but that of the first line', async () => {
    const installation = randomUUID();
    const [header = '', ...rest] = lines;
    await expect(imported([header.replace(/"installation":"[^"]*/, `"installation":"${installation}`), ...rest])).rejects.toThrow(
      'line 2: founds another',
    );
    const file = parsed().map((line) =>
      line.stream === LOG_STREAM && line.type === 'InstallationFounded' ? { ...line, data: { installation } } : line,
    );
    await expect(imported(written(file))).rejects.toThrow('line 2: the event does not have this hash');
    const without = forged((events) => events.filter(({ stream }) => stream !== LOG_STREAM));
    await expect(imported(without, null)).rejects.toThrow(`line ${without.length}: the founding`);
  });

  it('takes no anchor of events before a continuation that is not signed, or is of another installation', async () => {
    const source = openEmbeddedEventStore({ path: join(root, 'continued'), chained: true });
    const installation = await new LogIdentity(source).open();
    const grown = async (): Promise<number> => {
      await source.append('test.things-1', [eventAt(1, {}), eventAt(2, {})], 'any');
      return (await chain(source, 3, installation)).size;
    };
    const from = await grown();
    const base = await exportedLines(source, CATALOGUES);
    await grown();
    const file = (await exportedLines(source, CATALOGUES, from)).map((line) => JSON.parse(line) as Line);
    await source.close();
    const last = file.findLast(({ stream }) => stream === ANCHORS_STREAM) ?? {};
    const withAnchor = (data: Anchor): readonly string[] => {
      const anchor = { ...last, revision: Number(last.revision) + 1, id: randomUUID(), data };
      return written([...file.slice(0, -1), anchor, { end: true, lines: file.length - 1 }]);
    };
    const signed = (of: string) => signedAnchor(1, '0'.repeat(64), String(last.data?.time), '1', of);
    const continuation = async (next: readonly string[]): Promise<ImportedLog> => {
      const target = openEmbeddedEventStore({ path: join(root, randomBytes(6).toString('hex')), chained: true });
      const options = { target, catalogues: CATALOGUES, keys: [signingKey], retentionOf: () => ({}) };
      try {
        await importLog({ ...options, input: Readable.from(base.map((line) => Buffer.from(`${line}\n`))) });
        return await importLog({ ...options, input: Readable.from(next.map((line) => Buffer.from(`${line}\n`))) });
      } finally {
        await target.close();
      }
    };
    const line = `line ${file.length}:`;
    await expect(continuation(withAnchor({ ...signed(installation), signature: 'bm9uZQ==' }))).rejects.toThrow(
      `${line} the anchor of size 1: its signature`,
    );
    await expect(continuation(withAnchor(signed('other')))).rejects.toThrow(`${line} the anchor is of another installation`);
    const { size } = await continuation(written(file));
    expect(await continuation(withAnchor(signed(installation)))).toMatchObject({ size, signedTo: size });
  });

  it('takes no plain hashes of keys that are younger than keyed ones', async () => {
    const plain = appended(ACCESS_KEYS_STREAM, 1, keyIssued('1', 'b'.repeat(64)));
    for (const keys of [null, [signingKey]])
      await expect(imported(plain, keys)).rejects.toThrow(`line ${plain.length - 1}: has the plain hash of a credential`);
    await imported(appended(ACCESS_KEYS_STREAM, 1, keyIssued('1', `hmac-${'b'.repeat(64)}`)));
    const old = (events: Line[]): Line[] =>
      events.map((event) => (event.stream === ACCESS_KEYS_STREAM ? { ...event, data: { ...event.data, keyHash: 'c'.repeat(64) } } : event));
    await imported(forged(old), null); // a log of an older release
  });
});

it('what does not expire cannot be left out', async () => {
  const at = numberOf('AccessKeyIssued') - 1;
  const { index, hash } = parsed()[at] ?? {};
  const left = lines.map((line, number) => (number === at ? JSON.stringify({ index, hash, expired: true }) : line));
  await expect(imported(left)).rejects.toThrow(/^line \d+: event \d+ is missing/);
  const file = parsed().map((line) =>
    line.stream === LEAVES_STREAM ? { ...line, data: { ...line.data, streams: ['test.things-1'] } } : line,
  );
  await expect(imported(written(file))).rejects.toThrow(/^line \d+: (leaf|has data)/);
});

describe('hostile lines', () => {
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const at = (): number => numberOf('"n":2') - 1;
  const changed =
    (change: (line: Line) => Line | string | Buffer): (() => (string | Buffer)[]) =>
    () =>
      lines.map((line, number) => {
        if (number !== at()) return line;
        const made = change(JSON.parse(line) as Line);
        return typeof made === 'string' || Buffer.isBuffer(made) ? made : JSON.stringify(made);
      });
  const statement = (stream: string, data: object) => (): string[] => {
    const [first] = parsed().filter((line) => line.stream === stream);
    return lines.map((line) =>
      JSON.parse(line).id === first?.id ? JSON.stringify({ ...first, data: { ...first?.data, ...data } }) : line,
    );
  };

  it.each<readonly [string, () => Iterable<string | Buffer>]>([
    ['deep', changed((line) => JSON.stringify({ ...line, data: 0 }).replace('"data":0', `"data":{"a":${deep(5_000)}}`))],
    ['very deep', changed((line) => JSON.stringify({ ...line, data: 0 }).replace('"data":0', `"data":{"a":${deep(3_000_000)}}`))],
    ['deep and open', changed(() => '['.repeat(4_000_000))],
    ['long, and no JSON', changed(() => '"\\'.repeat(1_000_000))],
    ['no object', changed(() => '[]')],
    ['empty', changed(() => '')],
    ['no UTF-8', changed(() => Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d, 0x0a]))],
    ['a stream of the store', changed((line) => ({ ...line, stream: '$settings', index: null }))],
    ['a stream of large payloads', changed((line) => ({ ...line, stream: 'payload-1', index: null }))],
    ['the stream of imports', changed((line) => ({ ...line, stream: 'integrity.import-global', index: null }))],
    ['an unknown stream', changed((line) => ({ ...line, stream: '__proto__' }))],
    ['half a character', changed((line) => ({ ...line, stream: 'test.things-\ud800' }))],
    ['a very long name', changed((line) => ({ ...line, stream: `test.things-${'x'.repeat(2_000)}` }))],
    ['another stream of keys', changed((line) => ({ ...line, ...keyIssued('2', `hmac-${'b'.repeat(64)}`), stream: 'ops.keys-other' }))],
    ['an unknown type', changed((line) => ({ ...line, type: 'constructor' }))],
    ['a later version', changed((line) => ({ ...line, metadata: { ...(line.metadata as object), schemaVersion: 2 } }))],
    ['no time', changed((line) => ({ ...line, metadata: { ...(line.metadata as object), time: 'now' } }))],
    ['no actor', changed((line) => ({ ...line, metadata: { ...(line.metadata as object), actor: null } }))],
    ['a huge revision', changed((line) => ({ ...line, revision: Number.MAX_SAFE_INTEGER }))],
    ['a huge number', changed((line) => JSON.stringify(line).replace(/"revision":\d+/, '"revision":1e999'))],
    ['a huge index', changed((line) => ({ ...line, index: Number.MAX_SAFE_INTEGER }))],
    ['an id that is none', changed((line) => ({ ...line, id: 'x' }))],
    ['the id of another event', changed((line) => ({ ...line, id: JSON.parse(lines[at() - 1] ?? '').id }))],
    [
      'another order',
      () => lines.map((line, number) => (number === at() ? lines[number + 1] : number === at() + 1 ? lines[at()] : line) ?? ''),
    ],
    ['a line twice', () => [...lines.slice(0, at()), ...lines.slice(at() - 1)]],
    ['an end in the middle', () => lines.slice(0, at())],
    ['leaves of another shape', statement(LEAVES_STREAM, { leaves: null, runs: {} })],
    ['leaves without an end', statement(LEAVES_STREAM, { runs: [0, 0, Number.MAX_SAFE_INTEGER] })],
    ['leaves of no events', statement(LEAVES_STREAM, { count: 0, runs: [] })],
    ['leaves far ahead', statement(LEAVES_STREAM, { from: 1_000_000 })],
    ['another tree', statement(LEAVES_STREAM, { frontier: Buffer.alloc(32).toString('base64') })],
    ['an anchor of another shape', statement(ANCHORS_STREAM, { text: ['logbook'] })],
    ['an anchor that was signed for something else', statement(ANCHORS_STREAM, { size: 8 })],
  ])('%s: end it with their number', async (_, file) => {
    for (const keys of [[signingKey], null])
      await expect(imported(file(), keys, { isChecked: true })).rejects.toMatchObject({
        name: 'DamagedCopy',
        message: expect.stringMatching(/^line \d+: /),
      });
  });

  it('end it with the number of the first one, and why', async () => {
    const expired = lines.findIndex((line) => line.includes('"expired":true'));
    const leaves = lines.findLastIndex((line) => line.includes('LeavesChained'));
    const altered = (number: number, text: string | RegExp, by: string) => lines.with(number, (lines[number] ?? '').replace(text, by));
    for (const [file, why] of [
      [altered(at(), '"n":2', '"n":9'), `line ${at() + 1}: the event does not have this hash`],
      [lines.toSpliced(at(), 1), `line ${at() + 1}: index`],
      [lines.with(at(), '{"a":'), `line ${at() + 1}: is not JSON`],
      [altered(expired, /"hash":"(.)/, lines[expired]?.includes('"hash":"0') ? '"hash":"1' : '"hash":"0'), `line ${leaves + 1}: leaf`],
      [altered(0, /"root":"./, '"root":"g'), 'line 1: is not the first line'],
      [altered(0, /"root":"[^"]*/, `"root":"${'0'.repeat(64)}`), `line ${lines.length}: the events have size`],
      [[...lines, '{}'], `line ${lines.length + 1}: stands behind the last line`],
      [[], 'line 1: the export is empty'],
    ] as const)
      await expect(imported(file, null)).rejects.toThrow(why);
  });

  it('of streams that do not follow each other end it with their number', async () => {
    const file = forged((events) => events.filter(({ data }) => data?.n !== 1));
    await expect(imported(file, null)).rejects.toMatchObject({
      name: 'DamagedCopy',
      message: expect.stringMatching(/^line \d+: has revision 2/),
    });
  });
});
