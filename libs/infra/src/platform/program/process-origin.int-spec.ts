import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/support/eventually.js';
import { currentBoot, isOriginAlive, ownOrigin, startIn, startOf } from './process-origin.js';

describe('a process id', () => {
  it('stands for a process that is there, of any user', () => {
    for (const pid of [process.pid, 1]) expect(startOf(pid)).toBeDefined();
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31, 2 ** 53, JSON.parse('"1"')])('%p of a damaged record stands for none', (pid) => {
    expect(startOf(pid)).toBeUndefined();
  });
});

describe('the origin of a process', () => {
  it.each(['', ':', '::', `${process.pid}`, `${process.pid}::${currentBoot()}`, `x:unknown:${currentBoot()}`])(
    '%p of a damaged record is not alive',
    (origin) => expect(isOriginAlive(origin)).toBe(false),
  );

  it('is alive while the process runs', () => expect(isOriginAlive(ownOrigin())).toBe(true));
});

describe('a dead process that its parent does not wait for', () => {
  let parent: ChildProcess;
  let pid: number;
  let start: string | undefined;
  const stat = (): string => readFileSync(`/proc/${pid}/stat`, 'utf8');
  beforeAll(async () => {
    parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: parent.stdout ?? process.stdin })) {
      pid = Number(line);
      break;
    }
    // From now on the parent is a program that waits for no child.
    await eventually(async () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).until((name) => name === 'sleep\n');
    start = startOf(pid);
    process.kill(pid, 'SIGKILL');
    await eventually(async () => stat()).until((text) => text.includes(') Z '));
  });
  afterAll(() => void parent.kill('SIGKILL'));

  it('is not running', () => {
    expect(start).toMatch(/^\d+$/);
    expect([startOf(pid), isOriginAlive([pid, start, currentBoot()].join(':'))]).toEqual([undefined, false]);
  });

  it('runs while a thread other than its main thread does', () => {
    const fields = stat().trim().split(' ');
    const withThreads = (count: number): string => fields.with(19, String(count)).join(' ');
    expect([startIn(withThreads(1)), startIn(withThreads(2))]).toEqual([undefined, start]);
  });
});
