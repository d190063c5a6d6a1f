import { HASH_BYTES, type Hash, perfectRoot } from '#domain/integrity/merkle.js';
import type { TreeNode } from '#domain/integrity/merkle-ranges.js';

/** Levels of the tree between two stored ones. */
const TILE_LEVELS = 8;

/** Hashes per tile, and leaves per block. A proof reads one tile per stored level and two blocks of leaves. */
const TILE_HASHES = 2 ** TILE_LEVELS;

/** A tile: `TILE_HASHES` neighbours of level `height * TILE_LEVELS`, fewer at the tree's end. Height 0, the leaves, is only in the log. */
export type TileKey = readonly [height: number, index: number];

/** Storage of finished tiles. */
export type TileAccess = Readonly<{ get(key: TileKey): Buffer | undefined; put(key: TileKey, hashes: Buffer): void }>;

const BLOCK_BYTES = TILE_HASHES * HASH_BYTES;

/** Appends leaves to the stored levels. `tail`: leaves after the last full block. Returns the new tail. */
export const appendToTiles = (tiles: TileAccess, size: number, tail: Buffer, leaves: Buffer): Buffer => {
  const open = Buffer.concat([tail, leaves]);
  let blocks = Math.floor(size / TILE_HASHES);
  let at = 0;
  for (; at + BLOCK_BYTES <= open.length; at += BLOCK_BYTES) {
    appendHash(tiles, 1, blocks, perfectRoot(open.subarray(at, at + BLOCK_BYTES)));
    blocks += 1;
  }
  return open.subarray(at);
};

/** `index`: index of the hash in its level. */
const appendHash = (tiles: TileAccess, height: number, index: number, hash: Hash): void => {
  const key: TileKey = [height, Math.floor(index / TILE_HASHES)];
  const before = (index % TILE_HASHES) * HASH_BYTES;
  const tile = Buffer.concat([tiles.get(key)?.subarray(0, before) ?? Buffer.alloc(0), hash]);
  tiles.put(key, tile);
  if (tile.length === TILE_HASHES * HASH_BYTES) appendHash(tiles, height + 1, Math.floor(index / TILE_HASHES), perfectRoot(tile));
};

/**
 * Hash of a node of the tree.
 * @param leavesOf returns leaves from an index on; it is asked for at most one block
 * @throws RangeError a tile lacks required hashes
 */
export const nodeFromTiles = async (
  tiles: Pick<TileAccess, 'get'>,
  { level, index }: TreeNode,
  leavesOf: (from: number, count: number) => Promise<readonly Hash[]>,
): Promise<Hash> => {
  const height = Math.floor(level / TILE_LEVELS);
  const count = 2 ** (level % TILE_LEVELS);
  const first = index * count;
  if (height === 0) return perfectRoot(checked(Buffer.concat(await leavesOf(first, count)), count));
  const offset = (first % TILE_HASHES) * HASH_BYTES;
  const tile = tiles.get([height, Math.floor(first / TILE_HASHES)]) ?? Buffer.alloc(0);
  return perfectRoot(checked(tile.subarray(offset, offset + count * HASH_BYTES), count));
};

const checked = (hashes: Buffer, count: number): Buffer => {
  if (hashes.length !== count * HASH_BYTES) throw new RangeError('the tree lacks hashes');
  return hashes;
};
