import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { ownNamespace, startOf } from '#infra/platform/program/process-origin.js';
import { type EmbeddedProcess, startEmbeddedProcess } from '#test/support/event-stores/embedded-process.js';
import { newestTransactionIn } from '#test/support/event-stores/power-loss.js';
import { throughDoor } from './door.js';
import { until } from './doors.js';
import { type Environment, openEnvironment } from './environment.js';

let path: string;
let door: string;
let held: string;
let writer: EmbeddedProcess;
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'logbook-door-'));
  door = join(path, 'doors', 'door');
  held = join(path, 'doors', 'held');
  writer = startEmbeddedProcess('churn', [path]); // commits continuously
  await writer.printed(2);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await endWriter();
  rmSync(path, { recursive: true });
});

const endWriter = async (): Promise<void> => {
  writer.child.kill('SIGKILL');
  await writer.ended;
};

const open = (readOnly: boolean): Environment =>
  openEnvironment({ path, durability: 'replayable', maxDbs: 4, readOnly, report: () => undefined });
const lastIn = ({ root }: Environment): number => Number(root.openDB('documents', { encoding: 'string' }).get('last'));

const textOf = (file: string): string | undefined => {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
};

const tokenOf = (pid: number, start: string | undefined, namespace = ownNamespace()): string =>
  [pid, start, randomUUID().slice(-12), namespace].join(':');

/** Stands at the door until the writer holds the lock for it. Returns whether the writer still does. */
const standing = async (newToken = () => tokenOf(process.pid, startOf(process.pid))): Promise<() => boolean> => {
  for (;;) {
    const token = newToken();
    const isHeld = () => textOf(held) === token;
    symlinkSync(token, door);
    while (!isHeld() && textOf(door) === token) await delay(5);
    if (isHeld()) return isHeld;
    // This process stood still longer than the lock is held.
  }
};

/** A process at the door waits as long as a busy writer needs. */
const slowClock = (): void => {
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() / 10);
};

/** The process whose turn it is when the door opens, and for which the lock is held then. */
const atOpening = () => ({ door: textOf(door), held: textOf(held) });

it('nobody commits from when the lock is held until whoever stands at the door has gone', async () => {
  for (let looks = 0; looks < 20; ) {
    const isHeld = await standing();
    const found = new Set<number | undefined>();
    for (looks = 0; looks < 20; looks += 1) {
      const newest = newestTransactionIn(path);
      if (!isHeld()) break; // this process stood still longer than the lock is held
      found.add(newest);
      await delay(5);
    }
    expect(found.size).toBeLessThan(2);
    rmSync(door, { force: true });
    await writer.printed(writer.lines.length + 2);
  }
});

it('a process that stands at the door too long loses it, and has to come again', async () => {
  await standing();
  await writer.printed(writer.lines.length + 2);
  expect(existsSync(door)).toBe(false);
});

it('a process that was at the door before the writer, and stays too long, loses it before the first commit', async () => {
  await endWriter();
  symlinkSync(tokenOf(process.pid, startOf(process.pid)), door);
  writer = startEmbeddedProcess('churn', [path]);
  await writer.printed(1);
  expect(existsSync(door)).toBe(false);
});

it('comes again if it stood still for as long as the lock was held, and never opens beside a commit', () => {
  const now = performance.now.bind(performance);
  let missed: string | undefined;
  jest.spyOn(performance, 'now').mockImplementation(() => {
    const token = textOf(door);
    if (missed === undefined && token !== undefined) {
      missed = token;
      jest.mocked(performance.now).mockImplementation(() => now() / 10);
      until(() => textOf(held) === token, 2_000);
      until(() => textOf(held) !== token, 2_000);
    }
    return now();
  });
  const found = throughDoor(path, atOpening);
  expect(missed).toBeDefined();
  expect(found.door).not.toBe(missed);
  expect(found).toEqual({ door: expect.any(String), held: found.door });
});

it('the lock is held for a process of another container, whose id is that of nobody here, and its door taken over when it has left it behind', async () => {
  await standing(() => tokenOf(999_999_999, '1', '...'));
  slowClock();
  const found = throughDoor(path, atOpening);
  expect(found).toEqual({ door: expect.stringContaining(`${process.pid}:`), held: found.door });
  await writer.printed(writer.lines.length + 2);
});

it('nothing is lost, whoever opens it meanwhile', async () => {
  for (let times = 0; times < 40; times++) {
    const opened = open(true);
    expect(lastIn(opened)).toBeGreaterThanOrEqual(Number(writer.lines.at(-1)));
    await opened.close();
    expect(existsSync(door)).toBe(false);
    await delay(10);
  }
  await writer.printed(writer.lines.length + 2);
  await endWriter();
  const left = open(false);
  expect(lastIn(left)).toBeGreaterThanOrEqual(Number(writer.lines.at(-1)));
  await left.close();
});

it('does not wait for one that was killed at the door, nor for one that was killed while it held the lock', async () => {
  const dead = tokenOf(process.pid, '1'); // an id that another process has by now
  symlinkSync(dead, door);
  symlinkSync(dead, held);
  slowClock();
  const found = throughDoor(path, atOpening);
  expect(found.door).not.toBe(dead);
  expect(found.held).toBe(found.door);
  await writer.printed(writer.lines.length + 2);
});

it('opens although the process that writes stands still', async () => {
  writer.child.kill('SIGSTOP');
  const opened = open(true);
  expect(lastIn(opened)).toBeGreaterThanOrEqual(Number(writer.lines.at(-1)));
  await opened.close();
  writer.child.kill('SIGCONT');
  await writer.printed(writer.lines.length + 2);
});
