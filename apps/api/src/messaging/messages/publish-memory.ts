import { Injectable } from '@nestjs/common';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { MemoryBudget } from '#infra/platform/scheduling/memory-budget.js';

const MIB = 1024 * 1024;
/** Bytes of bodies that are read or stored at a time: each byte is in memory several times then. */
const ALL_BYTES = 16 * MIB;
/** Larger calls are counted. */
const SMALL_BYTES = MIB / 4;
/** Counted for each JSON value on top of the bytes: of calls with many thousands of small messages, one is read or stored at a time. */
const VALUE_BYTES = 1024;

/** `values`: number of JSON values of any kind. */
type BodySize = Readonly<{ bytes: number; values: number }>;

/**
 * Memory for large publish calls: few of them are read or stored at a time, projects in turns; small ones need no room. A call that waits keeps no more
 * than its body, or the messages read from it, in memory.
 */
@Injectable()
export class PublishMemory {
  private readonly room = new MemoryBudget(ALL_BYTES);

  /** Does a part of the work of a call that takes several times as much memory as its body, and as long as that has values. */
  within<Result>(projectId: string, { bytes, values }: BodySize, work: () => Promise<Result>): Promise<Result> {
    const weight = bytes + values * VALUE_BYTES;
    if (weight <= SMALL_BYTES) return work();
    return this.room.within(projectId, weight, async () => {
      await new TimeSlice(0).next(); // what others have just done may have taken a while
      return work();
    });
  }
}
