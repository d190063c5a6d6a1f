import { randomUUID } from 'node:crypto';
import { categoryOf, type NewEvent, type Revision } from '#domain/shared/events.js';
import type { EncodedEvent, EventCodec } from '#infra/event-codec/event-codec.js';
import { type ExecutedEvent, IdempotencyKeyReused, type Member } from './execution.js';
import type { FoldedStream } from './folded-stream.js';
import type { KeyUse } from './used-keys.js';

/** Of one append: bounds that only a single command may exceed. */
export type BatchLimits = Readonly<{ events: number; bytes: number }>;

/** What became of a command, if the batch is written. */
export type Verdict =
  | Readonly<{ kind: 'accepted'; events: readonly ExecutedEvent[] }>
  | Readonly<{ kind: 'rejected'; error: unknown }>
  /** Its idempotency key was used earlier in this very batch, */
  | Readonly<{ kind: 'twin'; events: readonly ExecutedEvent[] }>
  /** or in the log. */
  | Readonly<{ kind: 'repeat'; use: KeyUse }>;

type Draft = Readonly<{ member: Member; encoded: EncodedEvent; event: ExecutedEvent }>;

/** Commands decided one after another, to be written by one append. */
export type Batch = Readonly<{
  /** The head revision they were decided on; `null` when the stream has no events. */
  base: Revision | null;
  verdicts: readonly Readonly<{ member: Member; verdict: Verdict }>[];
  drafts: readonly Draft[];
  /** Events at the end that the state has not seen yet: no later command needed them, so a refused append need not spoil the state. */
  untried: readonly ExecutedEvent[];
  /** Commands left over, because the append would grow too large. */
  deferred: readonly Member[];
}>;

/**
 * Decides the commands in order, each on the state that its predecessors leave; a rejected one leaves none.
 * Nobody is answered yet: all of it, rejections too, holds only if the append finds the stream where the state is.
 */
export const decideBatch = (folded: FoldedStream, members: readonly Member[], codec: EventCodec, limits: BatchLimits): Batch => {
  const verdicts: { member: Member; verdict: Verdict }[] = [];
  const drafts: Draft[] = [];
  const keys = new Map<string, Readonly<{ body: string; events: readonly ExecutedEvent[] }>>();
  let untried: readonly ExecutedEvent[] = [];
  let bytes = 0;
  for (const member of members) {
    const { idempotency } = member.context;
    const known = idempotency && recall(folded, member, keys.get(idempotency.key));
    if (known) {
      verdicts.push({ member, verdict: known });
      continue;
    }
    if (untried.length > 0) folded.tryOut(untried);
    untried = [];
    const drafted = draft(folded, member, codec, BigInt(drafts.length));
    if ('error' in drafted) {
      verdicts.push({ member, verdict: { kind: 'rejected', error: drafted.error } });
      continue;
    }
    const size = drafted.reduce((sum, { encoded }) => sum + encoded.bytes, 0);
    if (drafts.length > 0 && (drafts.length + drafted.length > limits.events || bytes + size > limits.bytes)) break;
    untried = drafted.map(({ event }) => event);
    verdicts.push({ member, verdict: { kind: 'accepted', events: untried } });
    if (idempotency && untried.length > 0) keys.set(idempotency.key, { body: idempotency.body, events: untried });
    for (const one of drafted) drafts.push(one); // a command may have more events than a call can pass
    bytes += size;
  }
  return { base: folded.revision, verdicts, drafts, untried, deferred: members.slice(verdicts.length) };
};

/** The verdict on a command whose idempotency key was used before: in this batch (`twin`) or in the log. */
const recall = (
  folded: FoldedStream,
  { context }: Member,
  twin: Readonly<{ body: string; events: readonly ExecutedEvent[] }> | undefined,
): Verdict | undefined => {
  const { idempotency, time } = context;
  if (!idempotency) return undefined;
  const use = twin ?? folded.usedKey(idempotency.key, time);
  if (!use) return undefined;
  if (use.body !== idempotency.body) return { kind: 'rejected', error: new IdempotencyKeyReused(folded.stream) };
  return 'events' in use ? { kind: 'twin', events: use.events } : { kind: 'repeat', use };
};

/**
 * The events of one command, `offset` places after the head; or why there are none: the decider said no, or its events are not storable.
 *
 * Their ids are random even when there is an idempotency key: with ids made from the key, a store that recognises them would report success
 * to a node that has not read the first use yet, and that node would answer with its own version of events that were never written.
 */
const draft = (
  folded: FoldedStream,
  member: Member,
  codec: EventCodec,
  offset: bigint,
): readonly Draft[] | Readonly<{ error: unknown }> => {
  const { stream } = folded;
  const category = categoryOf(stream);
  let revision = (folded.revision ?? -1n) + offset;
  try {
    return member.decider.decide(member.command, folded.state).map((decided): Draft => {
      const encoded = codec.encode(category, decided);
      revision += 1n;
      const { type, data, schemaVersion } = encoded;
      return { member, encoded, event: { id: randomUUID(), stream, revision, type, data, metadata: { ...member.context, schemaVersion } } };
    });
  } catch (error) {
    return { error };
  }
};

/**
 * The batch as the log takes it. Where a subject's key must be created first, that happens for all of the batch side by side.
 * `failed` are commands whose events cannot be sealed, for example because their subject has been forgotten; then nothing may be written.
 */
export const sealBatch = async (
  { drafts }: Batch,
  codec: EventCodec,
): Promise<Readonly<{ events: readonly NewEvent[]; failed: ReadonlyMap<Member, unknown> }>> => {
  const events: NewEvent[] = [];
  const failed = new Map<Member, unknown>();
  const sealings = drafts.map(({ encoded }) => codec.seal(encoded));
  const sealed = await Promise.allSettled(sealings);
  drafts.forEach(({ member, event: { id, type, metadata } }, index) => {
    const outcome = sealed[index];
    if (outcome?.status === 'fulfilled') events.push({ id, type, data: outcome.value, metadata });
    else failed.set(member, outcome?.reason);
  });
  return { events, failed };
};
