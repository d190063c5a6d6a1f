import { isBeyond } from '#domain/operations/findings.js';

/** One line of the doctor. `detail`: the finding, or what to do. */
export type DoctorCheck = Readonly<{ check: string; ok: boolean; detail: string }>;

export const fine = (check: string, detail = ''): DoctorCheck => ({ check, ok: true, detail });
export const wrong = (check: string, detail: string): DoctorCheck => ({ check, ok: false, detail });

/** Result of `look`; an error counts as a problem. */
export const checked = async (check: string, look: () => Promise<DoctorCheck>): Promise<DoctorCheck> => {
  try {
    return await look();
  } catch (error) {
    return wrong(check, error instanceof Error ? error.message : String(error));
  }
};

/** @param told description of streams and members of their metadata; `null` if there are none */
export const checkMetadata = (told: string | null): DoctorCheck => {
  if (told === null) return fine('metadata');
  return wrong('metadata', `another program has set metadata of ${told}: reset them; restore dropped events from a backup or an export`);
};

/** Maximum clock difference in milliseconds. With a larger one, times in the log are misleading. */
const CLOCK_TOLERANCE = 60_000;

/** @param other current or past time of another clock: milliseconds since 1970-01-01 UTC */
export const checkClock = (now: number, other: number, whose: string): DoctorCheck => {
  const ahead = other - now;
  if (ahead <= CLOCK_TOLERANCE) return fine('clock');
  return wrong('clock', `${Math.round(ahead / 1_000)} s behind ${whose}: set it, for example with NTP`);
};

export const checkCertificate = (ends: Date): DoctorCheck => {
  const isSoon = isBeyond('certificate-ends', (ends.getTime() - Date.now()) / 1_000);
  return (isSoon ? wrong : fine)('certificate', `ends ${ends.toISOString()}${isSoon ? ': renew it' : ''}`);
};

/** Number of events after which an anchor is always made (operations contract 3). */
const ANCHORED_EVERY = 10_000;

/** Checks the age and size of the newest anchor. */
export const checkAnchor = (newest: Readonly<{ size: number; time: string }> | null, size: number): DoctorCheck => {
  if (!newest && size < ANCHORED_EVERY) return fine('anchor', 'none yet: the first one is made within an hour');
  if (!newest) return wrong('anchor', 'there is none: start a server with LOGBOOK_CHAIN=on');
  return fine('anchor', `covers ${newest.size} of ${size} events, up to ${newest.time}`);
};
