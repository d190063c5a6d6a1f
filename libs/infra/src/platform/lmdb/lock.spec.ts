import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { currentBoot, lastOf, ownNamespace, startOf } from '#infra/platform/program/process-origin.js';
import { EnvironmentError } from './environment-error.js';
import { lockDirectory } from './lock.js';
import { OWNER_FILES } from './owner.js';

/** Of a process that runs: the first one's parent is not seen in a container. */
const OTHER_PID = process.ppid || 1;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'logbook-lock-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const refusal = (): string => {
  try {
    lockDirectory(directory).release();
    return 'none';
  } catch (error) {
    expect(error).toBeInstanceOf(EnvironmentError);
    return (error as Error).message;
  }
};

describe('the lock of a directory', () => {
  it('is held by one opening of this process, until that has ended', () => {
    const lock = lockDirectory(directory);
    expect(refusal()).toBe(`${directory} is in use by this process already, which may open it for writing once`);
    lock.release();
    expect([refusal(), readdirSync(directory)]).toEqual(['none', [...OWNER_FILES]]);
  });

  it('of another process that runs is respected, and names it', () => {
    const { ppid } = process;
    symlinkSync([ppid, startOf(ppid), currentBoot()].join(':'), join(directory, 'lock'));
    expect(refusal()).toBe(`${directory} is in use by process ${ppid}: stop that first`);
  });

  it.each([
    ['a process that had the id of another one', () => symlinkSync([OTHER_PID, 1, currentBoot()].join(':'), join(directory, 'lock'))],
    [
      'a process before the machine was started again',
      () => symlinkSync(`${process.pid}:${startOf(process.pid)}:other`, join(directory, 'lock')),
    ],
    [
      'the process that has the original of a snapshot, which has the same inode on another device',
      () => {
        const mark = `${lastOf(statSync(directory).ino)}${ownNamespace()}`;
        symlinkSync([OTHER_PID, startOf(OTHER_PID), currentBoot(), mark].join(':'), join(directory, 'lock'));
      },
    ],
    ['nobody: a copy made a file of it', () => writeFileSync(join(directory, 'lock'), 'x')],
  ])('that is left by %s is taken over', (_, leave) => {
    leave();
    expect([refusal(), readdirSync(directory)]).toEqual(['none', [...OWNER_FILES]]);
  });
});
