import { SIGNING_KEYS_STREAM } from '#domain/integrity/integrity-events.js';
import type { PublicKey } from '#domain/integrity/proof.js';
import { evolveSigningKeys, isSigningKeyEvent, type SigningKeys } from '#domain/integrity/signing-keys.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { type Job, type JobControl, JobFailed, type JobKind } from '#infra/engine/jobs/job.js';
import { LogIdentity } from '#infra/stores/log-identity/log-identity.js';
import type { KeptAnchor } from './anchor-feed.js';
import { survivorsOf, unlessDamaged } from './damage.js';
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
    if (resumed && !(await this.isOfThisLog(resumed))) throw new JobFailed('the log was replaced: verify once more');
    const back = walkBack(signal);
    const state = resumed ?? (await this.begin(job.input.from, back));
    const tell = (now: VerificationState, isDone: boolean) => report(detailsOf(now, isDone), now);
    const { anchors } = job.input;
    const keys = await keysOfLog(store);
    const gone = resumed ? undefined : back.gone;
    const verification = new LogVerification({ store, keys, anchors, state, gone, signal, report: (now) => tell(now, false) });
    tell(await verification.run(), true);
  }

  private async begin(from: number, back: ReturnType<typeof walkBack>): Promise<VerificationState> {
    const state = await beginVerification(this.store, from, back);
    return { ...state, opened: await this.openedUpTo(state.head) };
  }

  /** Id of the newest opening up to a position; `null` if there is none, `undefined` if its record is damaged. */
  private openedUpTo(position: string): Promise<string | null | undefined> {
    const identity = new LogIdentity(this.store);
    return unlessDamaged(async () => (await identity.openingUpTo(BigInt(position)))?.id ?? null, undefined);
  }

  /** Returns whether a verification began in this log: another one ends earlier, or was opened by another process meanwhile. */
  private async isOfThisLog({ head, opened }: VerificationState): Promise<boolean> {
    if ((await this.store.end()) < BigInt(head)) return false;
    const found = await this.openedUpTo(head);
    return opened === undefined || found === undefined || found === opened;
  }
}
