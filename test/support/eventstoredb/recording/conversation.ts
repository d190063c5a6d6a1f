import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes as the recording shows them: text, or base64, or (long ones) how many of which character. */
export type RecordedBytes = string | Readonly<{ base64: string }> | Readonly<{ bytes: number; allEqual: string }>;

export type RecordedUuid = Readonly<{ string: string }>;

export type RecordedEvent = Readonly<{
  id?: RecordedUuid;
  metadataMap: readonly (readonly [string, string])[];
  customMetadata: RecordedBytes;
  data: RecordedBytes;
}>;

export type RecordedPosition = Readonly<{ commitPosition: string; preparePosition: string }>;
type Empty = Readonly<Record<string, never>>;
type Name = Readonly<{ streamName: string }>;

/** The union of what options of all rpcs hold; what is unset is absent. */
export type RecordedOptions = Readonly<{
  streamIdentifier?: Name;
  noStream?: Empty;
  any?: Empty;
  revision?: string;
  streamPosition?: string;
  stream?: Readonly<{ streamIdentifier?: Name; start?: Empty; end?: Empty; revision?: string }>;
  all?: Readonly<{ start?: Empty; end?: Empty; position?: RecordedPosition }>;
  readDirection?: 0 | 1;
  count?: string;
  subscription?: Empty;
  noFilter?: Empty;
  filter?: Readonly<{
    streamIdentifier: Readonly<{ regex: string; prefixList: string[] }>;
    max?: number;
    count?: Empty;
    checkpointintervalmultiplier: number;
  }>;
}>;

export type RecordedRequest = Readonly<{
  options?: RecordedOptions;
  proposedMessage?: RecordedEvent;
  correlationId?: RecordedUuid;
  proposedMessagesList?: readonly RecordedEvent[];
  isFinal?: boolean;
}>;

/** One line of the recording; the first line of the file explains the format. */
export type Conversation = Readonly<{
  name: string;
  rpc: string;
  requestHeaders?: Readonly<Record<string, string>>;
  requests: readonly RecordedRequest[];
  responses: readonly unknown[];
  responseHeaders?: Readonly<Record<string, string>>;
  responsesLeftOut?: string;
  /** The recorder ended the call itself; status 1 is then its own. */
  cancelled?: boolean;
  status: Readonly<{ code: number; details: string }>;
  trailers: Readonly<Record<string, string>>;
  timeline?: readonly (readonly [number, string])[];
}>;

const STREAMS = '/event_store.client.streams.Streams';
export const BATCH_APPEND = `${STREAMS}/BatchAppend`;

const CONFLICT = 'event_store.client.WrongExpectedVersion';
const CORRELATION: RecordedUuid = { string: '00000000-0000-4000-8000-000000009999' };

/** Logbook and the clients of its tests append by `BatchAppend`: it writes, and refuses, what the recorder sent by `Append`. */
export const batchOf = ({ revision, ...options }: RecordedOptions, events: readonly RecordedEvent[]): RecordedRequest => ({
  correlationId: CORRELATION,
  options: { ...options, ...(revision !== undefined && { streamPosition: revision }) },
  proposedMessagesList: events,
  isFinal: true,
});

type Appended = Readonly<{ success?: unknown; wrongExpectedVersion?: Readonly<Record<string, unknown>> }>;

const answerOf = ({ success, wrongExpectedVersion }: Appended): object => {
  if (!wrongExpectedVersion) return { success };
  const { currentRevision, currentNoStream, expectedRevision, expectedNoStream } = wrongExpectedVersion;
  const given = { currentStreamRevision: currentRevision, currentNoStream, expectedStreamPosition: expectedRevision, expectedNoStream };
  const value = Object.fromEntries(Object.entries(given).filter(([, member]) => member !== undefined));
  return { error: { code: 6, message: 'WrongExpectedVersion', details: { typeUrl: `type.googleapis.com/${CONFLICT}`, value } } };
};

const inBatch = (line: Conversation): Conversation => {
  if (line.rpc !== `${STREAMS}/Append`) return line;
  const [{ options = {} } = {}, ...events] = line.requests;
  const { streamIdentifier } = options;
  const responses = (line.responses as readonly Appended[]).map((one) => ({
    ...{ correlationId: CORRELATION, streamIdentifier },
    ...answerOf(one),
  }));
  const requests = [
    batchOf(
      options,
      events.flatMap(({ proposedMessage }) => proposedMessage ?? []),
    ),
  ];
  const end = { cancelled: true, status: { code: 1, details: 'Cancelled on client' }, trailers: {} };
  return { ...line, rpc: BATCH_APPEND, requests, responses, ...end };
};

/** All conversations in recorded order, without the explanation in the first line. */
export const loadRecording = (): readonly Conversation[] =>
  readFileSync(join(import.meta.dirname, 'eventstoredb-wire.jsonl'), 'utf8')
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => inBatch(JSON.parse(line)));
