import { expect, it } from '@jest/globals';
import { Frontier, joinPeaks, perfectRoot, splitHashes } from '#domain/integrity/merkle.js';
import { nodesOf } from '#domain/integrity/merkle-ranges.js';
import { sha256 } from '#domain/shared/bytes/sha256.js';
import { appendToTiles, nodeFromTiles, type TileKey } from './tiles.js';

it('Tiles of three levels hold what the tree consists of, in whatever steps the leaves come', async () => {
  const size = 70_001;
  const leaves = Buffer.concat(Array.from({ length: size }, (_, index) => Buffer.from(sha256(`${index}`), 'hex')));
  const stored = new Map<string, Buffer>();
  const tiles = {
    get: (key: TileKey) => stored.get(`${key}`),
    put: (key: TileKey, hashes: Buffer) => void stored.set(`${key}`, hashes),
  };
  const tree = Frontier.empty();
  let tail: Buffer = Buffer.alloc(0);
  for (let from = 0, step = 1; from < size; from += step, step = 1 + ((step * 7) % 4_093)) {
    const part = leaves.subarray(from * 32, Math.min(size, from + step) * 32);
    tail = appendToTiles(tiles, from, tail, part);
    for (const leaf of splitHashes(part)) tree.append(leaf);
  }
  const leavesOf = async (from: number, count: number) => splitHashes(leaves.subarray(from * 32, (from + count) * 32));
  const nodes = nodesOf(0, size);
  expect(joinPeaks(await Promise.all(nodes.map((node) => nodeFromTiles(tiles, node, leavesOf))))).toEqual(tree.root());
  for (const [level, index] of [
    [0, 4_711],
    [3, 8_000],
    [8, 255],
    [11, 33],
    [16, 0],
  ] as const) {
    const [start, end] = [index * 2 ** level * 32, (index + 1) * 2 ** level * 32];
    expect(await nodeFromTiles(tiles, { level, index }, leavesOf)).toEqual(perfectRoot(leaves.subarray(start, end)));
  }
  await expect(nodeFromTiles(tiles, { level: 8, index: 300 }, leavesOf)).rejects.toThrow('lacks hashes');
});
