/**
 * What clients did and were told: the words that workload and checker share. Times are milliseconds of one clock that only goes forward, that of
 * the recorder. Nothing here knows HTTP or the product.
 */

/** `<kind>:<id>`, such as `weights:6ac7…`. */
export type RecordRef = string;

export type Operation =
  /** Makes a record that bears a name nobody else of its scope may bear at a time; `name` null: it has none. `refersTo`: must be there. */
  | Readonly<{ kind: 'create'; scope: string; name: string | null; refersTo: readonly RecordRef[] }>
  | Readonly<{ kind: 'remove'; record: RecordRef }>
  /** Is it there? */
  | Readonly<{ kind: 'look'; record: RecordRef }>
  /** All records of a scope with their names. */
  | Readonly<{ kind: 'list'; scope: string }>
  /** Gives a register a value that nobody else gives it. */
  | Readonly<{ kind: 'set'; register: string; value: string; record: RecordRef }>
  | Readonly<{ kind: 'get'; register: string; record: RecordRef }>
  /** Stores points, each with a text that no other one has, all or none. */
  | Readonly<{ kind: 'submit'; points: readonly string[] }>
  /** All points. */
  | Readonly<{ kind: 'points' }>
  | Readonly<{ kind: 'publish'; topic: string; texts: readonly string[] }>
  | Readonly<{ kind: 'pull'; subscription: string; topic: string; atMost: number }>
  /** Everything up to and including this offset. */
  | Readonly<{ kind: 'acknowledge'; subscription: string; offset: number }>
  | Readonly<{ kind: 'offsets'; subscription: string; topic: string }>;

export type Named = Readonly<{ record: RecordRef; name: string }>;
export type Delivered = Readonly<{ offset: number; text: string }>;

/** What a successful answer said. */
export type Told = Readonly<{
  /** Of `create`. */
  record?: RecordRef;
  /** Of `list`. */
  entries?: readonly Named[];
  /** Of `get`: null when there is none. */
  value?: string | null;
  /** Of `points`. */
  points?: readonly string[];
  /** Of `publish`. */
  offsets?: readonly number[];
  /** Of `pull`, in the order of the answer. */
  messages?: readonly Delivered[];
  /** Of `offsets`. */
  max?: number;
  current?: number;
}>;

/** `done`: it succeeded; `absent`: 404; `refused`: any other answer that is not 503; `away`: 503; `lost`: no answer. */
export type Answer = Readonly<{
  outcome: 'done' | 'absent' | 'refused' | 'away' | 'lost';
  /** 0 without an answer. */
  status: number;
  /** It said `Logbook-Read-Model: behind`. */
  behind: boolean;
  /** It said `Retry-After`. */
  retryAfter: boolean;
  /** Where in the log its last event stands, if it said so. */
  position?: bigint;
  told: Told;
  /** The beginning of the body of what did not succeed. */
  text: string;
}>;

/** `intent`: calls that repeat each other under one idempotency key have the same one, and count as one write. */
export type Call = Readonly<{
  id: number;
  intent: string;
  client: string;
  node: string;
  began: number;
  ended: number;
  operation: Operation;
  answer: Answer;
}>;

/** A record asked for as of the past: as of a position of the log, or of an instant. */
export type PastLook = Readonly<{
  /** The call that made the record. */
  call: number;
  asOf: bigint | string;
  isThere: boolean;
  /** Of the last event that the answer knows, as the answer said. */
  position: bigint;
  /** Log time of that event. */
  time: string;
}>;

/** What is there once all faults are over and nobody writes any more, as each node shows it. */
export type FinalState = Readonly<{
  calls: readonly Call[];
  /** By topic, all messages from offset 0 on. */
  topics: Readonly<Record<string, readonly Delivered[]>>;
  past: readonly PastLook[];
  verifications: readonly Readonly<{ projection: string; equal: boolean; detail: string }>[];
  chain: Readonly<{ intact: boolean; detail: string }>;
  /** Processes that ended although nobody ended them. */
  ended: readonly string[];
  /** What never came, of all that was waited for. */
  stuck: readonly string[];
}>;

export type Violation = Readonly<{ rule: string; detail: string; calls: readonly number[] }>;
