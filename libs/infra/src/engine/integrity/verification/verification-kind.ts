import { SIGNING_KEYS_STREAM } from '#domain/integrity/integrity-events.js';
import type { PublicKey } from '#domain/integrity/proof.js';
import { evolveSigningKeys, isSigningKeyEvent, type SigningKeys } from '#domain/integrity/signing-keys.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { Job, JobControl, JobKind } from '#infra/engine/jobs/job.js';
import type { KeptAnchor } from './anchor-feed.js';
import { survivorsOf } from './damage.js';
import { beginVerification, detailsOf, type VerificationDetails, type VerificationState, walkBack } from './state.js';
import { LogVerification } from './verification.js';

/** Name of the job kind that verifies the log. */
export const LOG_VERIFICATION = 'audit.verification';

/** `total`: number of leaves to verify, as known at the request. */
export type VerificationInput = Readonly<{ from: number; anchors: readonly KeptAnchor[]; total: number }>;

/** The readable public keys in the log itself. An auditor should use a copy kept elsewhere. @throws EventStoreUnavailable */
export const keysOfLog = async (store: Pick<EventStore, 'readStream'>): Promise<readonly PublicKey[]> => {
  let keys: SigningKeys = [];
  for await (const record of survivorsOf(store, SIGNING_KEYS_STREAM, 0)) {
    if ('event' in record && isSigningKeyEvent(record.event)) keys = evolveSigningKeys(keys, record.event);
  }
  return keys.map(({ keyId, x }) => ({ kid: keyId, x }));
};

/** Runs verifications of the log as jobs (operations contract 3). */
export class LogVerificationKind implements JobKind<VerificationInput, VerificationDetails> {
  readonly name = LOG_VERIFICATION;

  /** @param store the log itself, not one that wraps it */
  constructor(private readonly store: EventStore) {}

  initial({ from, total }: VerificationInput): VerificationDetails {
    return { processed: 0, total, verifiedTo: from, root: null, expired: 0, intact: null, problem: null };
  }

  async run(job: Job<VerificationInput, VerificationDetails>, { signal, report }: JobControl<VerificationDetails>): Promise<void> {
    const { store } = this;
    const resumed = job.resume as VerificationState | null;
    const back = walkBack(signal);
    const state = resumed ?? (await beginVerification(store, job.input.from, back));
    const tell = (now: VerificationState, isDone: boolean) => report(detailsOf(now, isDone), now);
    const { anchors } = job.input;
    const keys = await keysOfLog(store);
    const gone = resumed ? undefined : back.gone;
    const verification = new LogVerification({ store, keys, anchors, state, gone, signal, report: (now) => tell(now, false) });
    tell(await verification.run(), true);
  }
}
