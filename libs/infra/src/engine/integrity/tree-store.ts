import { join } from 'node:path';
import type { Database } from 'lmdb';
import { type Environment, type EnvironmentOptions, openStoreIn } from '#infra/platform/lmdb/environment.js';
import { Anchors, type SignedAnchor } from './anchors.js';
import { appendToTiles, type TileAccess, type TileKey } from './tiles.js';

/** 1: tiles, places of leaves, anchors. */
const TREE_FORMAT = 1;

/** Directory of the tree, in a data directory or its substitute. */
export const treeIn = (directory: string): string => join(directory, 'audit', 'tree');

/** Place of an event of the log. The same id in the same place proves the same log up to there. */
export type EventPlace = Readonly<{ stream: string; revision: number; id: string; position: string }>;

/** Progress of the tree, and its source. */
export type TreeState = Readonly<{
  size: number;
  /** Log time of the last leaf; null if there is none. */
  time: string | null;
  /** Base64 of the peaks. */
  frontier: string;
  /** Base64 of the leaves after the last full block. */
  tail: string;
  /** The newest event of the chain in the tree; null if there is none. */
  last: EventPlace | null;
  /** Position of the last leaf's event, as known when this was stored. */
  position: string;
}>;

const EMPTY_TREE: TreeState = { size: 0, time: null, frontier: '', tail: '', last: null, position: '0' };

/** Leaves of one event of the log. `revision`: revision of that event. */
export type LeafRun = Readonly<{ from: number; count: number; revision: number }>;

/** Addition to the tree from one event of the chain's own streams. */
export type TreeAddition = Readonly<{
  at: EventPlace;
  /** `hashes`: concatenated. `frontier`: base64 of the peaks after them. */
  leaves?: Readonly<{ hashes: Buffer; count: number; time: string; frontier: string }>;
  anchor?: SignedAnchor;
}>;

/**
 * The Merkle tree of the chain on this node's disk: every eighth level, and the places of the leaves in the log. It can always be rebuilt
 * from the log. Leaves are not stored twice, so an expired event costs hardly more than its leaf in the log.
 */
export class TreeStore implements TileAccess {
  private readonly tiles: Database<Buffer, [number, number]>;
  private readonly runs: Database<[revision: number, count: number], number>;
  private readonly signed: Database<SignedAnchor, number>;
  private readonly states: Database<TreeState, string>;
  readonly anchors: Anchors;

  private constructor(private readonly environment: Environment) {
    const { root } = environment;
    this.tiles = root.openDB({ name: 'tiles', encoding: 'binary' });
    this.runs = root.openDB({ name: 'runs', encoding: 'json' });
    this.signed = root.openDB({ name: 'anchors', encoding: 'json' });
    this.anchors = new Anchors(this.signed);
    this.states = root.openDB({ name: 'state', encoding: 'json' });
  }

  /** @throws EnvironmentError */
  static open(path: string, options: Pick<EnvironmentOptions, 'readOnly' | 'report'> = {}): TreeStore {
    const all = { path, durability: 'replayable', maxDbs: 5, format: TREE_FORMAT, ...options } as const;
    return openStoreIn(all, (environment) => new TreeStore(environment));
  }

  close(): Promise<void> {
    return this.environment.close();
  }

  /** The current state, whichever process wrote it. */
  state(): TreeState {
    this.environment.root.resetReadTxn();
    return this.states.get('tree') ?? EMPTY_TREE;
  }

  /** Adds events of the log, all or none. */
  async add(additions: readonly TreeAddition[], position: string): Promise<TreeState> {
    this.environment.requireRoom();
    return this.environment.root.transaction(() => {
      const state = { ...this.apply(this.states.get('tree') ?? EMPTY_TREE, additions), position };
      this.states.putSync('tree', state);
      return state;
    });
  }

  /** Removes everything, because the log is another one. */
  async clear(): Promise<TreeState> {
    this.environment.requireRoom();
    return this.environment.root.transaction(() => {
      for (const database of [this.tiles, this.runs, this.signed, this.states]) database.clearSync();
      return EMPTY_TREE;
    });
  }

  get([height, index]: TileKey): Buffer | undefined {
    return this.tiles.get([height, index]);
  }

  put([height, index]: TileKey, hashes: Buffer): void {
    this.tiles.putSync([height, index], hashes);
  }

  /** The events of the log with leaves from `from` up to `end`, exclusive, in order. */
  runsOf(from: number, end: number): readonly LeafRun[] {
    const [first] = [...this.runs.getRange({ start: from, reverse: true, limit: 1 })];
    const start = first?.key ?? from;
    return [...this.runs.getRange({ start, end })].map(({ key, value: [revision, count] }) => ({ from: key, revision, count }));
  }

  private apply(state: TreeState, additions: readonly TreeAddition[]): Omit<TreeState, 'position'> {
    let tail: Buffer = Buffer.from(state.tail, 'base64');
    let { size, frontier, time, last } = state;
    for (const { at, leaves, anchor } of additions) {
      if (leaves) {
        this.runs.putSync(size, [at.revision, leaves.count]);
        tail = appendToTiles(this, size, tail, leaves.hashes);
        size += leaves.count;
        ({ frontier, time } = leaves);
      }
      if (anchor) this.signed.putSync(anchor.anchor.size, anchor);
      last = at;
    }
    return { size, time, frontier, tail: tail.toString('base64'), last };
  }
}
