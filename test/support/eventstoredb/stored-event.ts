/** What a writer asks to be stored. `id` is a UUID in lower case; metadata and data are bytes as sent. */
export type ProposedEvent = Readonly<{
  id: string;
  type: string;
  contentType: 'application/json' | 'application/octet-stream';
  metadata: Uint8Array;
  data: Uint8Array;
}>;

export type StoredEvent = ProposedEvent & {
  readonly stream: string;
  readonly revision: bigint;
  /** Commit and prepare position: where the record starts. */
  readonly position: bigint;
  /** Ticks of 100 ns since 1970-01-01 UTC. */
  readonly created: bigint;
  /** The response that carries this event, framed; made when it is first asked for. */
  frame?: Buffer;
};
