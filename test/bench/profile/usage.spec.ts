import { describe, expect, it } from '@jest/globals';
import { meanUsage, parseStat, parseWrittenBytes, threadName, type Usage, usagePerCall } from './usage.js';

const usage = (micros: number, threads: Readonly<Record<number, number>>, writtenBytes: number): Usage => ({
  micros,
  threads: new Map(Object.entries(threads).map(([id, used]) => [Number(id), { kernelName: 'node', micros: used }])),
  writtenBytes,
});

describe('what a process uses', () => {
  it('is read from a line of Linux, whatever the thread is called', () => {
    const line = '4242 (a (b) c) S 1 4242 4242 0 -1 4194560 900 0 3 0 309 32 0 0 20 0 12 0 1886 1234 999';
    expect(parseStat(line)).toEqual({ kernelName: 'a (b) c', micros: 3_410_000, endedMicros: 0 });
    expect(parseStat(line.replace(' 309 32 0 0 ', ' 309 32 5 7 ')).endedMicros).toBe(120_000);
    expect(() => parseStat('')).toThrow('no line of a stat file');
  });

  it('counts the bytes that it gave to write calls, and not the pages that they touched', () => {
    expect(parseWrittenBytes('rchar: 1\nwchar: 1884160\nsyscr: 3\nread_bytes: 4\nwrite_bytes: 5\ncancelled_write_bytes: 7\n')).toBe(
      1_884_160,
    );
    expect(() => parseWrittenBytes('')).toThrow('no wchar');
  });

  it('is shown under the name that a thread has of itself, else by that of the kernel', () => {
    expect(threadName('followers', 'node')).toBe('followers');
    expect(threadName(undefined, 'V8Worker')).toBe('V8');
    expect(threadName(undefined, 'node-V8Worker')).toBe('V8');
    expect(threadName(undefined, 'DelayedTaskSche')).toBe('V8');
    expect(threadName(undefined, 'node')).toBe('LMDB, files');
    expect(threadName(undefined, 'libuv-worker')).toBe('LMDB, files');
    expect(threadName(undefined, 'lmdb-writer')).toBe('lmdb-writer');
  });

  it('is shared among the calls, threads of one name together', () => {
    const before = usage(1_000, { 1: 600, 2: 300, 3: 100 }, 4_096);
    const after = usage(5_000, { 1: 2_600, 2: 800, 3: 200, 4: 1_400 }, 12_288);
    const { threads, ...rest } = usagePerCall(before, after, { 1: 'main', 2: 'V8', 3: 'V8' }, 2);
    expect(rest).toEqual({ micros: 2_000, writtenBytes: 4_096 });
    expect(Object.fromEntries(threads)).toEqual({ main: 1_000, V8: 300, 'LMDB, files': 700 });
  });

  it('includes threads that have ended', () => {
    const { threads } = usagePerCall(usage(900, { 1: 600, 2: 300 }, 0), usage(2_900, { 1: 1_600 }, 0), { 1: 'main', 2: 'validation' }, 10);
    expect(Object.fromEntries(threads)).toEqual({ main: 100, 'ended threads': 100 });
  });

  it('is the mean of slices by their calls', () => {
    const slice = (calls: number, micros: number, writtenBytes: number, threads: Readonly<Record<string, number>>) => ({
      calls,
      usage: { micros, writtenBytes, threads: new Map(Object.entries(threads)) },
    });
    const { threads, ...rest } = meanUsage([slice(100, 40, 1_000, { main: 40 }), slice(300, 80, 2_000, { main: 60, followers: 20 })]);
    expect(rest).toEqual({ micros: 70, writtenBytes: 1_750 });
    expect(Object.fromEntries(threads)).toEqual({ main: 55, followers: 15 });
  });
});
