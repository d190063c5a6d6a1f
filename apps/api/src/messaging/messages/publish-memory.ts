import { Injectable } from '@nestjs/common';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';

const MIB = 1024 * 1024;
/** Maximum bytes of bodies being read or stored: each byte is in memory several times meanwhile. */
const ALL_BYTES = 16 * MIB;
/** Calls above this size are counted. */
const SMALL_BYTES = MIB / 4;
/** Counted for each JSON value in addition to the bytes, so that calls with many thousands of small messages run one at a time. */
const VALUE_BYTES = 1024;

/** `values`: number of JSON values of any kind. */
type BodySize = Readonly<{ bytes: number; values: number }>;

/**
 * Memory for large publish calls: few of them are read or stored at a time, with projects taking turns; small ones need no room. A waiting
 * call keeps only its body, or the messages read from it, in memory.
 */
@Injectable()
export class PublishMemory {
  private readonly room = new MemoryBudget(ALL_BYTES);

  /**
   * Runs a part of a call's work. It takes several times the memory of its body, and time in proportion to the values.
   * @param work calls `done` when it needs the memory no longer. Default: at its end
   */
  within<Result>(projectId: string, { bytes, values }: BodySize, work: (done: () => void) => Promise<Result>): Promise<Result> {
    const weight = bytes + values * VALUE_BYTES;
    return weight <= SMALL_BYTES ? work(() => undefined) : this.reserved(projectId, weight, work);
  }

  private async reserved<Result>(projectId: string, weight: number, work: (done: () => void) => Promise<Result>): Promise<Result> {
    let give: (() => void) | undefined = await this.room.take(projectId, weight);
    const done = (): void => {
      give?.();
      give = undefined;
    };
    try {
      await new TimeSlice(0).next(); // others may just have used the event loop for a while
      return await work(done);
    } finally {
      done();
    }
  }
}
