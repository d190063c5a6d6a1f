import type { Position } from '#domain/shared/events.js';

/** A document as stored: the bytes for the wire. */
export type StoredDocument = Readonly<{ key: string; value: Buffer }>;

/** Limits on keys, compared by their UTF-8 bytes. At most one lower and one upper limit; none = the whole collection. */
export type KeyRange = Readonly<{
  gte?: string;
  gt?: string;
  lte?: string;
  lt?: string;
  reverse?: boolean;
  offset?: number;
  limit?: number;
  /** Ends the result with the document at which the returned values reach this many bytes, so at least one is returned. Default: no limit. */
  maxBytes?: number;
}>;

/**
 * Reads the documents of one projection. Every call sees one consistent state; two calls may see different ones. All calls throw
 * ReadStoreUnavailable, ReadModelsUnavailable if the view has a floor, and PartitionSetAside if the view tracks partitions.
 */
export interface ReadView {
  /**
   * On views of the past: the position that is read. Queries of documents that carry positions themselves (`Projection.past`) leave out what was
   * added later; other documents are as of it already. Absent: the newest documents are read.
   */
  readonly asOf?: Position | undefined;
  get(collection: string, key: string): Promise<Buffer | null>;
  /** In the order of `keys`. */
  getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]>;
  /** Lengths of the stored texts in bytes, in the order of `keys`, without reading the texts. */
  lengths(collection: string, keys: readonly string[]): Promise<readonly (number | null)[]>;
  /** In key order, or backwards from the upper limit with `reverse`. `offset` and `limit` count in that direction. */
  range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]>;
  /** Several ranges in one round trip, in the given order. */
  ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]>;
  /** Number of keys in the range. `offset`, `limit` and `reverse` are ignored. */
  count(collection: string, range: KeyRange): Promise<number>;
}

/**
 * `position`: position of the event that makes the change, the last one of its append, required if documents are kept as of each position; not less than that of the previous
 * change of the document. Default: the checkpoint after the commit.
 */
export type Change = Readonly<{ position?: Position }> &
  (
    | Readonly<{ kind: 'put'; collection: string; key: string; value: string | Buffer }>
    /** The document becomes its text, which is empty if there is none, followed by the piece. Costs what the piece costs. */
    | Readonly<{ kind: 'append'; collection: string; key: string; piece: string }>
    | Readonly<{ kind: 'delete'; collection: string; key: string }>
    /** All keys that start with `prefix`. */
    | Readonly<{ kind: 'delete-prefix'; collection: string; prefix: string }>
  );

/** One set of documents of a projection, built by one of its versions. `generation` is new for each build, which fences off an old builder. */
export type Namespace = Readonly<{ projection: string; version: number; slot: 'a' | 'b'; generation: number }>;

/** The served namespace, and the position up to which it includes every event. */
export type ServedBuild = Readonly<{ namespace: Namespace; checkpoint: Position }>;

/**
 * Checkpoint of a namespace, and the origin of its documents: an opaque text of at most 1,000 bytes that writers store with the checkpoint. `null`:
 * no origin was stored.
 */
export type Progress = Readonly<{ checkpoint: Position; origin: string | null }>;

/**
 * A text stored beside the checkpoint of a namespace, initially empty. A builder changes it together with documents that it caches, so that other
 * nodes see in the commits when to read those documents again.
 */
export type Token = Readonly<{ token: string }>;

/** Called with the checkpoint and token of every commit to the served namespace. */
export type CommitListener = (checkpoint: Position, token: string) => void;

/** Memory of the server of a store; of several servers, of the fullest one, with the sums of what they have dropped and refused since their starts. */
export type StoreUsage = Readonly<{
  bytes: number;
  /** `null`: none is set. */
  limit: number | null;
  /** Keys that the server has dropped to make room. */
  evicted: number;
  /** Writes that the server has refused for want of memory. */
  refused: number;
  /** Why the server refuses writes now; `null` if it takes them. */
  refusal: string | null;
  /** Setting with which the server drops documents to make room; `null` if it keeps them. */
  drops: string | null;
}>;

/**
 * Ordered collections of documents in namespaces. One namespace per projection is served. Keys: 1 to 1,500 bytes of UTF-8. Values: UTF-8 text, or bytes.
 * A collection whose values are empty bytes is a list: the store keeps its keys alone.
 */
export interface ReadStore {
  /** `true`: reads depend on the request, so they must not be cached for another one. Default: `false`. */
  readonly volatile?: boolean;

  /** `true`: only one node uses the store, so it need not signal by writes that it is active. Default: `false`. */
  readonly isAlone?: boolean;

  /**
   * The served documents, in the namespace that is served at the time of each read.
   * @param floor position that the served documents must include, queried at each read: if nothing is served or the checkpoint is smaller, the read
   * throws ReadModelsUnavailable. A store whose checkpoints cannot go back need not compare them. Default: reads are empty if nothing is served
   */
  view(projection: string, floor?: () => Position): ReadView;

  /** The documents of one namespace, served or not. Its calls also throw NamespaceGone. */
  documents(namespace: Namespace): ReadView;

  /** Names of the collections with documents in a namespace. May include some that had documents before. @throws NamespaceGone */
  collections(namespace: Namespace): Promise<readonly string[]>;

  /** The served namespace. `null` before the first `serve`. */
  served(projection: string): Promise<Namespace | null>;

  /** The served namespace with its checkpoint, in one step. `null` before the first `serve`. */
  standing(projection: string): Promise<ServedBuild | null>;

  /** Creates an empty namespace with checkpoint `0n` that is not served. Removes an unfinished build from the free slot. */
  prepare(projection: string, version: number): Promise<Namespace>;

  /**
   * Makes the namespace the served one in one step, and removes the documents of the one served before.
   * @throws NamespaceGone
   * @throws CheckpointConflict its checkpoint (`expected`) is less than that of the served namespace (`actual`), compared in the same step. Readers
   * would see less than before, so catch up and call again
   * @param instead a namespace whose checkpoint is ignored, because it belongs to another log. Has no effect unless it is the served one
   */
  serve(namespace: Namespace, instead?: Namespace): Promise<void>;

  /** The last position fully applied. If the namespace is served, listeners have been called with it when it resolves. @throws NamespaceGone */
  checkpoint(namespace: Namespace): Promise<Position>;

  /** The checkpoint with its origin and token. Listeners have been called as for `checkpoint`. @throws NamespaceGone */
  progress(namespace: Namespace): Promise<Progress & Token>;

  /**
   * Applies the changes in order and moves the checkpoint from `from` to `to` (which may be equal or less), in one atomic step. The same step stores
   * `origin` and `token`; whichever is absent is left unchanged.
   * @throws CheckpointConflict the stored checkpoint is not `from` (another runner has committed, or this commit was already applied)
   * @throws NamespaceGone the namespace was removed by a newer build
   * @throws ReadStoreUnavailable the result is unknown: read the checkpoint
   */
  commit(namespace: Namespace, changes: readonly Change[], from: Position, to: Position, origin?: string, token?: string): Promise<void>;

  /**
   * Like `commit` without a token, for documents that can be rebuilt from the log. When it resolves, readers of this store see the changes
   * and listeners have been called, but if the process is killed, these and later changes may be lost. Other openings of the same data see them
   * within about 200 ms. If another process commits before that, its commit is as if the lost ones had never happened, and the next one here is
   * rejected.
   * @throws CheckpointConflict, NamespaceGone, ReadStoreUnavailable as `commit` does
   */
  commitSoon(namespace: Namespace, changes: readonly Change[], from: Position, to: Position, origin?: string): Promise<void>;

  /** Resolves when other openings of the same data see all earlier commits of any kind. @throws ReadStoreUnavailable */
  flush(): Promise<void>;

  /**
   * Calls `listener` after every commit to the served namespace and after every `serve` of the projection, by any process. Calls may be merged, and
   * one may repeat the same values, but the last one is never lost. For a commit through this store, listeners have been called when it resolves.
   * Returns a function that stops the calls.
   */
  onCommit(projection: string, listener: CommitListener): () => void;

  /** Whether documents of the projection are kept as of each position, so that its commits need the changes of each append. Default: no. */
  keepsPast?(projection: string): boolean;

  /**
   * Whether the documents were started with another setting of `keepsPast` than the current one. They are served until they are rebuilt. Default: no.
   * @throws NamespaceGone, ReadStoreUnavailable
   */
  isOutdated?(namespace: Namespace): boolean;

  /**
   * Sets the first position that a build can show, because earlier events that it needs have left the log. Absent if no past is kept.
   * @throws NamespaceGone, ReadStoreUnavailable
   */
  setFrom?(namespace: Namespace, from: Position): Promise<void>;

  /**
   * Number of documents and approximate bytes of the served namespace; those of a large removal may count for a while. `bytes`: `null` if the store
   * cannot determine it cheaply.
   */
  size(projection: string): Promise<Readonly<{ documents: number; bytes: number | null }>>;

  /** Memory of the server. `null` if it does not show that. Absent: the store has no server. @throws ReadStoreUnavailable */
  usage?(): Promise<StoreUsage | null>;

  /**
   * The current obstacle to reading or writing documents, as a text without paths, addresses or credentials. `null`: none.
   * @throws ReadStoreUnavailable
   */
  trouble(): Promise<string | null>;

  close(): Promise<void>;
}

/** Another writer moved the checkpoint. */
export class CheckpointConflict extends Error {
  override readonly name = 'CheckpointConflict';
  constructor(
    readonly projection: string,
    readonly expected: Position,
    readonly actual: Position,
  ) {
    super(`projection ${projection}: expected checkpoint ${expected}, found ${actual}`);
  }
}

/** The namespace was replaced by a newer build. */
export class NamespaceGone extends Error {
  override readonly name = 'NamespaceGone';
}

/**
 * The requested documents belong to a partition that is set aside, because one of its events could not be applied: they show an earlier state. An
 * operator has to resolve this.
 */
export class PartitionSetAside extends Error {
  override readonly name = 'PartitionSetAside';
  constructor(
    readonly projection: string,
    readonly partition: string,
  ) {
    super(`projection ${projection}: partition ${partition} is set aside`);
  }
}

/** The store cannot be reached or cannot write at the moment. */
export class ReadStoreUnavailable extends Error {
  override readonly name: string = 'ReadStoreUnavailable';
}

/**
 * The documents of a projection do not exist or are not shown. Either nothing is served, they are being built, they are older than before, or it is
 * unknown whether they come from this log. The requested record may exist, so the call may be repeated shortly.
 */
export class ReadModelsUnavailable extends ReadStoreUnavailable {
  override readonly name: string = 'ReadModelsUnavailable';
  /**
   * @param projection the read model, if it is one
   * @param secondsLeft until its documents are there, at the pace so far; `null` if that is not known
   */
  constructor(
    message: string,
    public projection?: string,
    readonly secondsLeft: number | null = null,
  ) {
    super(message);
  }
}

/** Documents of a projection are gone from their store, so it cannot tell which ones are absent. They have to be built again. */
export class DocumentsLost extends ReadModelsUnavailable {
  override readonly name = 'DocumentsLost';
  constructor() {
    super('documents of the read model are gone from its store');
  }
}

/** The documents of a projection are served, but do not show the newest events of the log yet. */
export class ReadModelsBehind extends ReadModelsUnavailable {
  override readonly name = 'ReadModelsBehind';
}
