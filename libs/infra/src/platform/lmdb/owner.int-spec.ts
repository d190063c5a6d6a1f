import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { currentBoot, startOf } from '#infra/platform/program/process-origin.js';
import { startEmbeddedProcess } from '#test/support/event-stores/embedded-process.js';
import type { PrintingProcess } from '#test/support/processes/printing-process.js';
import { openEnvironment } from './environment.js';
import { DirectoryInUse } from './environment-error.js';
import { inspectDataFile } from './inspection.js';
import { isLocked, lockDirectory, opennessOf, openUnowned } from './lock.js';
import { OWNER_FILES } from './owner.js';

let path: string;
const started: PrintingProcess[] = [];
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'logbook-owner-'));
});
afterEach(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  for (const { ended } of started.splice(0)) await ended;
  rmSync(path, { recursive: true });
});

const start = (): PrintingProcess => {
  const one = startEmbeddedProcess('lock', [path]);
  started.push(one);
  return one;
};
const owning = async (): Promise<PrintingProcess> => {
  const one = start();
  await one.printed(1);
  return one;
};
const left = (text: string): void => {
  rmSync(join(path, 'lock'), { force: true });
  symlinkSync(text, join(path, 'lock'));
};

it('of many processes that start together one owns the directory, and the next one when that was killed', async () => {
  for (const found of ['closed', 'killed']) {
    const all = Array.from({ length: 6 }, start);
    await Promise.all(all.map(({ printed }) => printed(1)));
    const owners = all.filter(({ lines }) => JSON.stringify(lines[0]) === JSON.stringify({ found }));
    expect(owners).toHaveLength(1);
    for (const one of owners) await one.kill();
  }
  expect(opennessOf(path)).toBe('killed');
});

it('a sound file of the lock is used again as it is: a full disk may have no room for another one', () => {
  const seen = () => OWNER_FILES.map((name) => statSync(join(path, name)).ino);
  lockDirectory(path).release();
  const made = seen();
  expect(inspectDataFile(join(path, OWNER_FILES[0]), undefined)).toEqual({ kind: 'sound' });
  lockDirectory(path).release();
  expect(seen()).toEqual(made);
});

it.each(OWNER_FILES)('a link in place of %s is refused, and its target left alone', (name) => {
  const target = join(path, 'target');
  writeFileSync(target, 'something else');
  symlinkSync(target, join(path, name));
  expect(() => lockDirectory(path)).toThrow('is not a file');
  expect(readFileSync(target, 'utf8')).toBe('something else');
});

it.each([
  ['nobody', () => rmSync(join(path, 'lock')), 'another process'],
  ['a process that had the id of another one', () => left([process.pid, 1, currentBoot()].join(':')), `process ${process.pid}`],
  [
    'a process of another container',
    () => left([process.pid, startOf(process.pid), currentBoot(), '......'].join(':')),
    `process ${process.pid} of another container`,
  ],
  [
    'a process before the machine was started again',
    () => left([process.pid, startOf(process.pid), 'other'].join(':')),
    `process ${process.pid}`,
  ],
])('a process that stands still keeps its directory, even if the directory names %s', async (_, name, said) => {
  const owner = await owning();
  owner.child.kill('SIGSTOP');
  name();
  expect(isLocked(path)).toBe(true);
  expect(() => lockDirectory(path)).toThrow(`${path} is in use by ${said}: stop that first`);
  expect(() => openUnowned(path, () => 'opened')).toThrow(DirectoryInUse);
  owner.child.kill('SIGCONT');
  await owner.kill();
  expect(isLocked(path)).toBe(false);
  lockDirectory(path).release();
});

it.each([
  ['lost', Buffer.alloc(8_192)],
  ['replaced', Buffer.alloc(8_192, 7)],
  ['cut off', Buffer.alloc(100, 7)],
])('a directory whose file of the lock is %s, as after a power failure, is locked as before', async (_, bytes) => {
  lockDirectory(path).release();
  writeFileSync(join(path, OWNER_FILES[0]), bytes);
  const owner = await owning();
  expect(isLocked(path)).toBe(true);
  await owner.kill();
  expect(opennessOf(path)).toBe('killed');
});

it('files of the lock belong to the account of the directory, even if the superuser makes them', () => {
  if (process.getuid?.() === 0) chownSync(path, 1, 1);
  openUnowned(path, () => undefined);
  expect(OWNER_FILES.map((name) => statSync(join(path, name)).uid)).toEqual(OWNER_FILES.map(() => statSync(path).uid));
});

it('files of an environment belong to the account of the directory around it, even if the superuser opens and closes it', async () => {
  if (process.getuid?.() === 0) chownSync(path, 1, 1);
  const inside = join(path, 'some', 'log');
  await openEnvironment({ path: inside, durability: 'durable', maxDbs: 1 }).close();
  const made = [join(path, 'some'), inside, ...readdirSync(inside).map((name) => join(inside, name))];
  expect(made).toEqual(expect.arrayContaining(['data.mdb', 'lock.mdb', 'store.json'].map((name) => join(inside, name))));
  expect(made.filter((one) => statSync(one).uid !== statSync(path).uid)).toEqual([]);
});

it('a process that opens it for reading is alone for as long as that takes, and leaves no trace', async () => {
  const next = openUnowned(path, start);
  await next.printed(1);
  expect(next.lines).toEqual([{ found: 'closed' }]);
  await next.kill();
  expect([openUnowned(path, () => 'opened'), opennessOf(path)]).toEqual(['opened', 'killed']);
});
