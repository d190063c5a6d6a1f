import { generateKeyPairSync, sign } from 'node:crypto';
import { isChained } from '#domain/integrity/chained.js';
import { checkpointText, thumbprint } from '#domain/integrity/checkpoint.js';
import { ANCHORS_STREAM, type Anchor, LEAVES_STREAM, type LeavesChained, SIGNING_KEYS_STREAM } from '#domain/integrity/integrity-events.js';
import { Frontier } from '#domain/integrity/merkle.js';
import type { EventStore } from '#domain/shared/event-store.js';
import type { JsonObject, NewEvent } from '#domain/shared/events.js';
import { LeafBatcher } from '#infra/integrity/leaf-batch.js';

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

export const signedAnchor = (size: number, root: string, time: string, position: string): Anchor => {
  const text = checkpointText({ installation: 'test', size, root, time, position });
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

/** Chains what is in a log, in records of a few leaves, and signs an anchor at the end. Returns the anchor. */
export const chain = async (store: EventStore, leavesPerRecord: number): Promise<Anchor> => {
  const [newest] = await store.readStream(LEAVES_STREAM, { direction: 'backwards', limit: 1 });
  const last = newest?.data as unknown as LeavesChained | undefined;
  const size = last ? last.from + last.count : 0;
  const batcher = new LeafBatcher({ size, frontier: last?.frontier ?? '', time: last?.time ?? null });
  let end = last;
  let [passed, position] = [0, '0'];
  const hand = async (): Promise<void> => {
    const batch = batcher.take();
    [end, position] = [batch.data, batch.position];
    await store.append(LEAVES_STREAM, [eventAt(0, batch.data as unknown as JsonObject)], 'any');
  };
  for (const event of (await store.readAll({ limit: 100_000 })).events) {
    if (!isChained(event.stream) || passed++ < size) continue;
    batcher.add(event);
    if (passed % leavesPerRecord === 0) await hand();
  }
  if (!batcher.isEmpty) await hand();
  const root = Frontier.decode(passed, end?.frontier ?? '')
    .root()
    .toString('hex');
  const anchor = signedAnchor(passed, root, end?.time ?? '', position);
  const [introduced] = await store.readStream(SIGNING_KEYS_STREAM, { limit: 1 });
  const introduction = eventAt(0, { keyId: signingKey.kid, x, since: '2024-01-01T00:00:00.000Z' });
  if (!introduced) await store.append(SIGNING_KEYS_STREAM, [{ ...introduction, type: 'SigningKeyIntroduced' }], 'any');
  await store.append(ANCHORS_STREAM, [{ ...eventAt(0, anchor as unknown as JsonObject), type: 'AnchorSigned' }], 'any');
  return anchor;
};
