import type { FastifyRequest } from 'fastify';
import { projectOf } from '#api/messaging/http-policy.js';
import { bodyOf, hashInSlices } from '#api/shared/http/request-context.js';
import { Room } from '#infra/scheduling/room.js';
import { TimeSlice } from '#infra/scheduling/time-slice.js';

const MIB = 1024 * 1024;
/** Bytes of bodies that are read or stored at a time: each byte is in memory several times then. */
const AT_WORK = 16 * MIB;
/** Bytes of a body that is large. */
const LARGE = MIB / 4;

const isLarge = (request: FastifyRequest): boolean => (bodyOf(request)?.length ?? 0) > LARGE;

/**
 * Sees to it that few large calls are at work at a time, projects in turns; small ones go straight on. What waits has no more than its body, or the
 * messages that were read of it, in memory.
 */
export class LargeCalls {
  private readonly room = new Room(AT_WORK);

  /** Does a part of the work of a call that takes several times as much memory as its body has bytes. */
  within<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> {
    if (!isLarge(request)) return work();
    return this.room.within(projectOf(request).projectId, bodyOf(request)?.length ?? 0, async () => {
      await new TimeSlice(0).next(); // what others have just done may have taken a while
      return work();
    });
  }

  /** The same for reading the body. */
  reading<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result> {
    if (!isLarge(request)) return work();
    return this.within(request, async () => {
      await hashInSlices(request);
      return work();
    });
  }
}
