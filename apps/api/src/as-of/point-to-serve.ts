import type { Runtime } from '#api/runtime/runtime.js';
import { asOfIn } from '#api/shared/as-of/as-of-header.js';
import { AsOfRefused, malformedAsOf, noHistory } from '#api/shared/as-of/as-of-refused.js';
import { type TimeOfCall, TimesOfCalls } from '#api/shared/as-of/time-of-call.js';

/** The point in time of `serve --as-of` cannot be shown. */
export class CannotServePast extends Error {
  override readonly name = 'CannotServePast';
}

/** The point in time that a server is started for. @throws CannotServePast */
export const pointToServe = async ({ past, eventStore, clock }: Runtime, text: string): Promise<TimeOfCall> => {
  try {
    const asOf = asOfIn(text);
    if (!asOf) throw malformedAsOf();
    if (!past) throw noHistory();
    return await new TimesOfCalls(past, eventStore, clock).find(asOf);
  } catch (error) {
    if (!(error instanceof AsOfRefused)) throw error;
    throw new CannotServePast(error.message.replace('Logbook-As-Of', '--as-of'), { cause: error });
  }
};
