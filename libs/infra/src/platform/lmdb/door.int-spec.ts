import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { ownNamespace } from '#infra/platform/program/process-origin.js';
import { type EmbeddedProcess, type EmbeddedProcesses, prepareEmbeddedProcesses } from '#test/support/event-stores/embedded-process.js';
import { type Environment, openEnvironment } from './environment.js';

let processes: EmbeddedProcesses;
let path: string;
let door: string;
let writer: EmbeddedProcess;
beforeAll(() => {
  processes = prepareEmbeddedProcesses();
});
afterAll(() => processes.remove());
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'logbook-door-'));
  door = join(path, 'doors', 'door');
  writer = processes.start('churn', [path]); // commits continuously
  await writer.printed(5);
});
afterEach(async () => {
  writer.child.kill('SIGKILL');
  await writer.ended;
  rmSync(path, { recursive: true });
});

const open = (readOnly: boolean): Environment =>
  openEnvironment({ path, durability: 'replayable', maxDbs: 4, readOnly, report: () => undefined });
const lastIn = ({ root }: Environment): number => Number(root.openDB('documents', { encoding: 'string' }).get('last'));

/** Stands at the door until the writer holds the lock for it. Returns whether the writer still does. */
const standing = async (pid: number | string, namespace: string): Promise<() => boolean> => {
  for (;;) {
    const token = `${pid} ${randomUUID()} ${namespace}`;
    const isHeld = () => textOf(join(path, 'doors', 'held')) === token;
    symlinkSync(token, door);
    for (let look = 0; look < 1_000 && !isHeld(); look++) await delay(5);
    if (isHeld()) return isHeld;
    rmSync(door); // this process stood still longer than the lock is held
  }
};
const textOf = (file: string): string | undefined => {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
};

it('nobody commits from when the lock is held until whoever stands at the door has gone', async () => {
  for (let wasHeld = false; !wasHeld; ) {
    const isHeld = await standing(process.pid, ownNamespace());
    await delay(50); // waits for printed output
    const before = writer.lines.length;
    await delay(200);
    const after = writer.lines.length;
    wasHeld = isHeld(); // on a busy machine the delays may last longer than the lock is held
    if (wasHeld) expect(after).toBe(before);
    rmSync(door);
    await writer.printed(before + 20);
  }
  await standing(process.pid, ownNamespace());
  await writer.printed(writer.lines.length + 20);
});

it('the lock is held for a process of another container, whose id is that of nobody here, and its door taken over when it has left it behind', async () => {
  await standing(999999999, '...');
  await open(true).close();
  await writer.printed(writer.lines.length + 5);
});

it('nothing is lost, whoever opens it meanwhile', async () => {
  for (let times = 0; times < 40; times++) {
    const opened = open(true);
    expect(lastIn(opened)).toBeGreaterThanOrEqual(Number(writer.lines.at(-1)));
    await opened.close();
    expect(existsSync(door)).toBe(false);
    await delay(10);
  }
  await writer.printed(writer.lines.length + 5);
  writer.child.kill('SIGKILL');
  await writer.ended;
  const left = open(false);
  expect(lastIn(left)).toBeGreaterThanOrEqual(Number(writer.lines.at(-1)));
  await left.close();
});

it('does not wait for one that was killed at the door, nor for one that was killed while it held the lock', async () => {
  const gone = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim();
  symlinkSync(`${gone} there ${ownNamespace()}`, door);
  symlinkSync(`${gone} there ${ownNamespace()}`, join(path, 'doors', 'held'));
  const now = performance.now.bind(performance);
  const slow = jest.spyOn(performance, 'now').mockImplementation(() => now() / 10); // the busy writer may answer later than a process is awaited
  const started = performance.now();
  await open(true).close();
  expect(performance.now() - started).toBeLessThan(2_000);
  slow.mockRestore();
  await writer.printed(writer.lines.length + 5);
});

it('opens although the process that writes stands still', async () => {
  writer.child.kill('SIGSTOP');
  const opened = open(true);
  expect(lastIn(opened)).toBeGreaterThanOrEqual(Number(writer.lines.at(-1)));
  await opened.close();
  writer.child.kill('SIGCONT');
  await writer.printed(writer.lines.length + 5);
});
