import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DiskRoom } from './disk-room.js';

const MIB = 2 ** 20;

describe('room on a disk', () => {
  let now: number;
  let freeBytes: number;
  let refusal: string | undefined;
  let room: DiskRoom;
  beforeEach(() => {
    now = 0;
    freeBytes = 100 * MIB;
    refusal = undefined;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const tryWrite = (): void => {
      if (refusal) throw Object.assign(new Error('refused'), { code: refusal });
    };
    room = new DiskRoom({ freeBytes: () => freeBytes, tryWrite }, 64 * MIB);
  });

  it('ends where the reserve begins, and is checked again after a second', () => {
    expect(room.obstacle(36 * MIB)).toBeUndefined();
    expect(room.obstacle(36 * MIB + 1)).toBe('too little space is left on the disk');
    freeBytes = 0;
    expect(room.obstacle(1)).toBeUndefined();
    now = 1_001;
    expect(room.obstacle(1)).toBe('too little space is left on the disk');
  });

  it.each(['ENOSPC', 'EDQUOT', 'EROFS'])('is missing while writes are refused with %s, and returns by itself', (code) => {
    expect(room.explainsFailure()).toBe(false);
    refusal = code;
    expect(room.obstacle(1)).toBeUndefined();
    expect(room.explainsFailure()).toBe(true);
    expect(room.obstacle(1)).toBe(`the disk refuses writes (${code})`);
    now = 2_000;
    expect(room.obstacle(1)).toBe(`the disk refuses writes (${code})`);
    refusal = undefined;
    now = 4_000;
    expect(room.obstacle(1)).toBeUndefined();
  });

  it('does not explain a failure of the disk itself', () => {
    refusal = 'EIO';
    expect(room.explainsFailure()).toBe(false);
    expect(room.obstacle(1)).toBeUndefined();
  });

  it('explains a failure with the reserve used up', () => {
    freeBytes = MIB;
    expect(room.explainsFailure()).toBe(true);
    freeBytes = 100 * MIB;
    now = 1_001;
    expect(room.obstacle(1)).toBeUndefined();
  });
});
