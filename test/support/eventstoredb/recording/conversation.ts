import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes as the recording shows them: text, or base64, or (long ones) how many of which character. */
export type RecordedBytes = string | Readonly<{ base64: string }> | Readonly<{ bytes: number; allEqual: string }>;

export type RecordedUuid = Readonly<{
  string?: string;
  structured?: Readonly<{ mostSignificantBits: string; leastSignificantBits: string }>;
}>;

export type RecordedEvent = Readonly<{
  id?: RecordedUuid;
  metadataMap: readonly (readonly [string, string])[];
  customMetadata: RecordedBytes;
  data: RecordedBytes;
}>;

export type RecordedPosition = Readonly<{ commitPosition: string; preparePosition: string }>;
type Empty = Readonly<Record<string, never>>;
type Expression = Readonly<{ regex: string; prefixList: string[] }>;
type Name = Readonly<{ streamName: string }>;

/** The union of what options of all rpcs hold; what is unset is absent. */
export type RecordedOptions = Readonly<{
  streamIdentifier?: Name;
  noStream?: Empty;
  any?: Empty;
  streamExists?: Empty;
  revision?: string;
  streamPosition?: string;
  deadline?: Readonly<{ seconds: number; nanos: number }>;
  stream?: Readonly<{ streamIdentifier?: Name; start?: Empty; end?: Empty; revision?: string }>;
  all?: Readonly<{ start?: Empty; end?: Empty; position?: RecordedPosition }>;
  readDirection?: 0 | 1;
  resolveLinks?: boolean;
  count?: string;
  subscription?: Empty;
  noFilter?: Empty;
  filter?: Readonly<{
    streamIdentifier?: Expression;
    eventType?: Expression;
    max?: number;
    count?: Empty;
    checkpointintervalmultiplier: number;
  }>;
  uuidOption?: Readonly<{ string?: Empty; structured?: Empty }>;
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
  noEndWithinMs?: number;
  status: Readonly<{ code: number; details: string }>;
  trailers: Readonly<Record<string, string>>;
  timeline?: readonly (readonly [number, string])[];
}>;

/** All conversations in recorded order, without the explanation in the first line. */
export const loadRecording = (): readonly Conversation[] =>
  readFileSync(join(import.meta.dirname, 'eventstoredb-wire.jsonl'), 'utf8')
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line): Conversation => JSON.parse(line));
