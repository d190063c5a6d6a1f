import type { AllStreamResolvedEvent, ResolvedEvent } from '@eventstore/db-client';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { CallFailed, type Endpoint, GrpcCode, unavailable } from '#infra/stores/event-store/eventstoredb/grpc/call.js';
import type { WireEvent } from '#infra/stores/event-store/eventstoredb/messages/records.js';

const bytesIn = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

const LENGTH_BYTES = 4;

/**
 * Makes the client pass on the bytes of an event as stored. Otherwise it parses JSON and leaves everything else as text, so that the
 * original bytes are lost.
 */
export const keepBytes = (response: ReadResp): void => {
  const event = response.getEvent()?.getEvent();
  if (!event) return;
  const metadata = event.getCustomMetadata_asU8();
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(metadata.length);
  event.setData(Buffer.concat([length, metadata, event.getData_asU8()]));
  event.setCustomMetadata('');
  event.getMetadataMap().set('content-type', 'application/octet-stream');
};

/** Splits the result of {@link keepBytes}. */
const contentsOf = (kept: unknown): Pick<WireEvent, 'metadata' | 'data'> => {
  if (!(kept instanceof Uint8Array)) throw new TypeError('the client has parsed an event');
  const bytes = bytesIn(kept);
  const end = LENGTH_BYTES + bytes.readUInt32BE(0);
  return { metadata: bytes.subarray(LENGTH_BYTES, end), data: bytes.subarray(end) };
};

/** Returns `undefined` for a link that cannot be resolved. */
export const wireEventOf = ({ event }: AllStreamResolvedEvent | ResolvedEvent): WireEvent | undefined =>
  event && {
    id: event.id,
    stream: event.streamId,
    type: event.type,
    revision: event.revision,
    position: event.position?.commit ?? 0n,
    created: event.created.getTime(),
    ...contentsOf(event.data),
  };

type Facts = Readonly<{ type: unknown; code: number | undefined; leader: Endpoint | undefined }>;

/** Facts in an error of the client. Some errors have no class of their own, only a code, or nothing. */
const factsOf = (error: unknown): Facts => {
  if (typeof error !== 'object' || error === null) return { type: undefined, code: undefined, leader: undefined };
  return {
    type: 'type' in error ? error.type : undefined,
    code: 'code' in error && typeof error.code === 'number' ? error.code : undefined,
    leader: 'leader' in error ? leaderIn(error.leader) : undefined,
  };
};

const leaderIn = (leader: unknown): Endpoint | undefined => {
  if (typeof leader !== 'object' || leader === null || !('address' in leader) || !('port' in leader)) return undefined;
  return { host: String(leader.address), port: Number(leader.port) };
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Failure of a call. For an interrupted call the client reports the code of an internal error. */
export const callFailure = (error: unknown): CallFailed => {
  const { code, leader } = factsOf(error);
  if (code === undefined || code === GrpcCode.internal) return unavailable(textOf(error), error);
  return new CallFailed(code, textOf(error), leader, { cause: error });
};

/** Returns whether a read failed because the stream does not exist. */
export const isMissingStream = (error: unknown): boolean => factsOf(error).type === 'stream-not-found';
