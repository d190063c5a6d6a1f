import type { Position } from '#domain/shared/events.js';

/** A document as it is stored: the very bytes that the wire needs. */
export type StoredDocument = Readonly<{ key: string; value: Buffer }>;

/** Bounds on keys, compared by their UTF-8 bytes. At most one lower and one upper bound; none = the whole collection. */
export type KeyRange = Readonly<{
  gte?: string;
  gt?: string;
  lte?: string;
  lt?: string;
  reverse?: boolean;
  offset?: number;
  limit?: number;
  /** Ends with the document that makes the values returned this many bytes, so one is always returned. Default: no bound. */
  maxBytes?: number;
}>;

/**
 * Reads of the documents of one projection. Every call sees one consistent state; two calls may see two.
 * All calls throw ReadStoreUnavailable, ReadModelsUnavailable where the view has a floor, and PartitionSetAside where it knows of that.
 */
export interface ReadView {
  get(collection: string, key: string): Promise<Buffer | null>;
  /** In the order of `keys`. */
  getMany(collection: string, keys: readonly string[]): Promise<readonly (Buffer | null)[]>;
  /** In key order, or backwards from the upper bound with `reverse`. `offset` and `limit` count in that direction. */
  range(collection: string, range: KeyRange): Promise<readonly StoredDocument[]>;
  /** Several ranges in one go (one round trip), in the order asked. */
  ranges(collection: string, ranges: readonly KeyRange[]): Promise<readonly (readonly StoredDocument[])[]>;
  /** How many keys lie in the range; `offset`, `limit` and `reverse` are ignored. */
  count(collection: string, range: KeyRange): Promise<number>;
}

/**
 * `position`: of the event that makes the change, where documents are kept as they were after each; not smaller than that of a change of the document
 * before. Default: the checkpoint after the commit.
 */
export type Change = Readonly<{ position?: Position }> &
  (
    | Readonly<{ kind: 'put'; collection: string; key: string; value: string }>
    | Readonly<{ kind: 'delete'; collection: string; key: string }>
    /** Every key that starts with `prefix`. */
    | Readonly<{ kind: 'delete-prefix'; collection: string; prefix: string }>
  );

/** One set of documents of a projection, built by one version of it. `generation` is new for each build, so an old builder is fenced off. */
export type Namespace = Readonly<{ projection: string; version: number; slot: 'a' | 'b'; generation: number }>;

/** The namespace that is served, and the position up to which it shows every event. */
export type ServedBuild = Readonly<{ namespace: Namespace; checkpoint: Position }>;

/**
 * How far a namespace is, and an opaque text of at most 1,000 bytes that its writers keep with the checkpoint: where the documents come from.
 * `null`: none was ever given.
 */
export type Progress = Readonly<{ checkpoint: Position; origin: string | null }>;

/**
 * A token beside the checkpoint of a namespace, empty in the beginning, that its builder changes together with documents that it has to know of
 * by heart: whoever follows the commits then sees when to read those again. `from` is what it must be before a commit, `to` what it is after it.
 */
export type MarksChange = Readonly<{ from: string; to: string }>;

/** Marks that begin with this are a hold: no documents of the namespace change on disk until it ends, whoever has committed them before. */
export const HOLD = 'hold:';

export const isHold = (marks: string): boolean => marks.startsWith(HOLD);

/** Told of every commit to what is served: its checkpoint and its marks. */
export type CommitListener = (checkpoint: Position, marks: string) => void;

/**
 * Read models: ordered collections of documents, in namespaces of which one per projection is served.
 * Keys are 1 to 1,500 bytes of UTF-8. Values are UTF-8 text.
 */
export interface ReadStore {
  /** `true`: what is read depends on the request, so nothing of it may be kept in memory for another one. Default `false`. */
  readonly volatile?: boolean;

  /** `true`: one node works with it, so nobody has to show by writes that it is at work. Default `false`. */
  readonly isAlone?: boolean;

  /** `false`: this store shows something that other openings of the same data do not show yet, see `flush`. Default `true`. */
  readonly isFlushed?: boolean;

  /**
   * The documents served now, whichever namespace that is at the moment of each read.
   * @param floor position that what is served must show, asked for at each read: if nothing is served, or its checkpoint is smaller, the read throws
   *   ReadModelsUnavailable. A store whose checkpoints cannot go back need not compare them. Default: nothing served means empty.
   */
  view(projection: string, floor?: () => Position): ReadView;

  /** The documents of one namespace, served or not. Its calls throw NamespaceGone, too. */
  documents(namespace: Namespace): ReadView;

  /** Names of the collections of a namespace that hold documents, and perhaps of some that held some before. @throws NamespaceGone */
  collections(namespace: Namespace): Promise<readonly string[]>;

  /** The namespace served now, or nothing before the first `serve`. */
  served(projection: string): Promise<Namespace | null>;

  /** The namespace served now with its checkpoint, in one step; `null` likewise. */
  standing(projection: string): Promise<ServedBuild | null>;

  /** An empty namespace with checkpoint `0n`, not served; whatever an unfinished build left in the free slot is removed. */
  prepare(projection: string, version: number): Promise<Namespace>;

  /**
   * Makes the namespace the served one in one step, and removes the documents of the one served before.
   * @throws NamespaceGone
   * @throws CheckpointConflict its checkpoint (`expected`) is behind that of the namespace served now (`actual`), compared in that same step:
   *   readers would see less than before, so catch up and ask again
   * @param instead a namespace whose checkpoint does not count, because it is not of this log; has no effect unless it is the one served
   */
  serve(namespace: Namespace, instead?: Namespace): Promise<void>;

  /** The last position fully applied. If the namespace is served, listeners have been told of it when it resolves. @throws NamespaceGone */
  checkpoint(namespace: Namespace): Promise<Position>;

  /** The checkpoint with what was stored beside it; listeners likewise. @throws NamespaceGone */
  progress(namespace: Namespace): Promise<Progress>;

  /** What the last commit that changed the marks made of them; empty before. @throws NamespaceGone */
  marks(namespace: Namespace): Promise<string>;

  /**
   * Applies the changes in order and moves the checkpoint from `from` to `to` (which may be the same, or lie before it), all in one atomic step.
   * `origin` is stored in the same step, and the marks are changed with `marks`; what is left out stays as it was, whatever it was.
   * @throws CheckpointConflict the stored checkpoint is not `from` (another runner was here, or this commit had arrived before)
   * @throws MarksConflict the checkpoint is `from`, but the stored marks are not `marks.from`
   * @throws NamespaceGone the namespace was removed by a newer build
   * @throws ReadStoreUnavailable nothing is known: ask for the checkpoint
   */
  commit(
    namespace: Namespace,
    changes: readonly Change[],
    from: Position,
    to: Position,
    origin?: string,
    marks?: MarksChange,
  ): Promise<void>;

  /**
   * The same without a change of the marks, for what is made from the log and can be made again: when it resolves, readers of this store see the changes,
   * and listeners have been told, but a killed process may lose them, with those that came after. Other openings of the same data see them within about
   * 200 ms. Commits of another process that come first make it as if the lost ones had never been: the next one is refused. While the marks are a hold
   * nothing is written.
   * @param marks those expected; without them whatever they are
   * @throws CheckpointConflict, MarksConflict, NamespaceGone, ReadStoreUnavailable likewise
   */
  commitSoon(
    namespace: Namespace,
    changes: readonly Change[],
    from: Position,
    to: Position,
    origin?: string,
    marks?: string,
  ): Promise<void>;

  /** Resolves when other openings of the same data see what was committed before, by whichever call. @throws ReadStoreUnavailable */
  flush(): Promise<void>;

  /**
   * Applies the changes and changes the marks wherever the checkpoint is, for those who do not move it.
   * @throws MarksConflict, NamespaceGone, ReadStoreUnavailable likewise
   */
  mark(namespace: Namespace, changes: readonly Change[], marks: MarksChange): Promise<void>;

  /**
   * Calls `listener` after every commit to the served namespace and after every `serve` of the projection, by whichever process.
   * Calls may be merged, and one may come that tells nothing new; the last one is never lost. Of a commit through this very store listeners
   * have been told when it resolves. Returns how to stop.
   */
  onCommit(projection: string, listener: CommitListener): () => void;

  /**
   * Notices what other openings of the same data have committed: when it returns, reads show it, and listeners have been told. Without it they are told
   * some milliseconds later, or, in another process than the one that writes embedded documents, never. Absent where that cannot be known at once.
   */
  look?(): void;

  /** Whether documents of the projection are kept as they were after each event: then its commits have the changes of each. Default: none are. */
  keepsPast?(projection: string): boolean;

  /**
   * Whether the documents were begun while their past was to be kept and now is not, or the other way round: they are served until they have been built
   * anew. Default: no. @throws NamespaceGone, ReadStoreUnavailable
   */
  isOutdated?(namespace: Namespace): boolean;

  /**
   * Sets the first position that a build can show, because what it needs of the events before has left the log. Absent where no past is kept.
   * @throws NamespaceGone, ReadStoreUnavailable
   */
  setFrom?(namespace: Namespace, from: Position): Promise<void>;

  /** Documents and approximate bytes of the served namespace; `bytes` null where the store cannot tell cheaply. */
  size(projection: string): Promise<Readonly<{ documents: number; bytes: number | null }>>;

  /**
   * What keeps documents from being read or written now, in words for anybody: no paths, addresses or credentials. `null`: nothing.
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

/** Somebody else changed the marks. */
export class MarksConflict extends Error {
  override readonly name = 'MarksConflict';
  constructor(
    readonly projection: string,
    readonly expected: string,
    readonly actual: string,
  ) {
    super(`projection ${projection}: the marks are not those expected`);
  }
}

/** The namespace was replaced by a newer build. */
export class NamespaceGone extends Error {
  override readonly name = 'NamespaceGone';
}

/**
 * What is asked for belongs to a partition whose documents are not kept up at the moment, because an event of it cannot be applied: they show an
 * earlier state. An operator has to see to it.
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

/** The store cannot be reached or cannot write now. */
export class ReadStoreUnavailable extends Error {
  override readonly name: string = 'ReadStoreUnavailable';
}

/**
 * The documents of a projection are not there, or not shown: nothing is served, they are being built, they show less than they did, or it is not known
 * that they come from this log. What was asked for may exist: the call may be repeated in a moment.
 */
export class ReadModelsUnavailable extends ReadStoreUnavailable {
  override readonly name: string = 'ReadModelsUnavailable';
}

/** The documents of a projection are served, and do not show the newest events of the log yet. */
export class ReadModelsBehind extends ReadModelsUnavailable {
  override readonly name = 'ReadModelsBehind';
}
