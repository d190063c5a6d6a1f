import { generateKeyPairSync, sign } from 'node:crypto';
import { isChained } from '#domain/integrity/chained.js';
import { checkpointText, thumbprint } from '#domain/integrity/checkpoint.js';
import { ANCHORS_STREAM, type Anchor, LEAVES_STREAM, SIGNING_KEYS_STREAM } from '#domain/integrity/integrity-events.js';
import { Frontier } from '#domain/integrity/merkle.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { JsonObject, NewEvent } from '#domain/shared/events.js';
import { findResumePoint } from '#infra/engine/integrity/chain-end.js';
import { LeafBatcher } from '#infra/engine/integrity/leaf-batch.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const x = String(publicKey.export({ format: 'jwk' }).x);

/** The key that the anchors of these logs are signed with. */
export const signingKey = { kid: thumbprint(x), x };

const ids = { last: 0 };

/** An event with an id of its own, of the given second. */
export const eventAt = (second: number, data: JsonObject): NewEvent => ({
  id: `00000000-0000-4000-8000-${String(++ids.last).padStart(12, '0')}`,
  type: 'Happened',
  data,
  metadata: {
    time: new Date(Date.UTC(2024, 0, 1) + second * 1000).toISOString(),
    actor: { kind: 'key', id: 'k' },
    service: 'status',
    requestId: 'r',
    correlationId: 'c',
    causationId: 'r',
    schemaVersion: 1,
  },
});

export const signedAnchor = (size: number, root: string, time: string, position: string, installation = 'test'): Anchor => {
  const text = checkpointText({ installation, size, root, time, position });
  return {
    size,
    root,
    time,
    position,
    keyId: signingKey.kid,
    text,
    signature: sign(null, Buffer.from(text), privateKey).toString('base64'),
  };
};

/** Appends one event after another, each to its stream. */
export const appendTo = async (store: EventStore, streams: readonly string[]): Promise<void> => {
  for (const [second, stream] of streams.entries()) await store.append(stream, [eventAt(second, { text: `event ${second}` })], 'any');
};

/** An event of {@link eventAt} of another type. */
const typed = (type: string, data: object): NewEvent => ({ ...eventAt(0, data as JsonObject), type });

/** Chains what is in a log, in records of a few leaves, and signs an anchor at the end. Returns the anchor. */
export const chain = async (store: EventStore, leavesPerRecord: number, installation?: string): Promise<Anchor> => {
  const resume = await findResumePoint(store);
  const batcher = new LeafBatcher(resume.end);
  let { size, frontier, time } = resume.end;
  let position = `${resume.after}`;
  const hand = async (): Promise<void> => {
    const batch = batcher.take();
    ({ frontier, time } = batch.data);
    ({ position } = batch);
    await store.append(LEAVES_STREAM, [typed('LeavesChained', batch.data)], 'any');
  };
  for (const event of (await store.readAll({ after: resume.after, limit: 100_000 })).events) {
    if (!isChained(event.stream) || Number(event.revision) <= (resume.covered.get(event.stream) ?? -1)) continue;
    batcher.add(event);
    size += 1;
    if (size % leavesPerRecord === 0) await hand();
  }
  if (!batcher.isEmpty) await hand();
  const root = Frontier.decode(size, frontier).root().toString('hex');
  const anchor = signedAnchor(size, root, time ?? '', position, installation);
  const [introduced] = await store.readStream(SIGNING_KEYS_STREAM, { limit: 1 });
  const introduction = { keyId: signingKey.kid, x, since: '2024-01-01T00:00:00.000Z' };
  if (!introduced) await store.append(SIGNING_KEYS_STREAM, [typed('SigningKeyIntroduced', introduction)], 'any');
  await store.append(ANCHORS_STREAM, [typed('AnchorSigned', anchor)], 'any');
  return anchor;
};
