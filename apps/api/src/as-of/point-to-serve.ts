import type { Runtime } from '#api/runtime/runtime.js';
import { asOfIn } from '#api/shared/as-of/as-of-header.js';
import { AsOfRefused, malformedAsOf, noHistory, notReached } from '#api/shared/as-of/as-of-refused.js';
import { left, patienceEnds, type TimeOfCall, TimesOfCalls } from '#api/shared/as-of/time-of-call.js';

/** The point in time of `serve --as-of` cannot be shown. */
export class CannotServePast extends Error {
  override readonly name = 'CannotServePast';
}

/** The point in time for which a server is started. Documents that are lost are refused on read. @throws CannotServePast */
export const pointToServe = async ({ past, eventStore, clock }: Runtime, text: string): Promise<TimeOfCall> => {
  try {
    const asOf = asOfIn(text);
    if (!asOf) throw malformedAsOf();
    if (!past) throw noHistory();
    const deadline = patienceEnds();
    const found = await new TimesOfCalls(past.timeline, eventStore, clock).find(asOf, deadline);
    if (found.moment && (await past.history.reach(found.moment.position, left(deadline))) === 'behind') throw notReached();
    return found;
  } catch (error) {
    if (!(error instanceof AsOfRefused)) throw error;
    throw new CannotServePast(error.message.replace('Logbook-As-Of', '--as-of'), { cause: error });
  }
};
