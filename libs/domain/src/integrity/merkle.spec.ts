import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forAny } from '#test/support/for-any.js';
import { provesConsistency } from '#test/support/integrity/proves-consistency.js';
import { runs } from '#test/support/test-runs.js';
import { EMPTY_ROOT, Frontier, joinPeaks } from './merkle.js';
import { consistencyRanges, inclusionRanges, nodesOf } from './merkle-ranges.js';
import { provesInclusion } from './proof.js';

const sha = (...parts: readonly Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const leafOf = (hex: string): Buffer => sha(Buffer.from([0]), Buffer.from(hex, 'hex'));

/** RFC 9162 2.1.1 to 2.1.4, written down as the definitions stand there. */
const halfOf = (size: number): number => 2 ** Math.floor(Math.log2(size - 1));
const mth = (leaves: readonly Buffer[]): Buffer => {
  if (leaves.length === 0) return sha();
  if (leaves.length === 1) return leaves[0] as Buffer;
  const k = halfOf(leaves.length);
  return sha(Buffer.from([1]), mth(leaves.slice(0, k)), mth(leaves.slice(k)));
};
const path = (index: number, leaves: readonly Buffer[]): readonly Buffer[] => {
  if (leaves.length <= 1) return [];
  const k = halfOf(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return index < k ? [...path(index, left), mth(right)] : [...path(index - k, right), mth(left)];
};
const subproof = (size: number, leaves: readonly Buffer[], known: boolean): readonly Buffer[] => {
  if (size === leaves.length) return known ? [] : [mth(leaves)];
  const k = halfOf(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return size <= k ? [...subproof(size, left, known), mth(right)] : [...subproof(size - k, right, false), mth(left)];
};

const treeOf = (leaves: readonly Buffer[]): Frontier => {
  const tree = Frontier.empty();
  for (const leaf of leaves) tree.append(leaf);
  return tree;
};

const someLeaves = (count: number): readonly Buffer[] => Array.from({ length: count }, (_, index) => sha(Buffer.from(`leaf ${index}`)));

describe('The Merkle tree of the chain', () => {
  it('has the published roots of the reference implementation of RFC 6962', () => {
    const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    const roots = [
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ];
    expect(roots.map((_, size) => treeOf(inputs.slice(0, size).map(leafOf)).root().toString('hex'))).toEqual(roots);
    expect(EMPTY_ROOT.toString('hex')).toBe(roots[0]);
  });

  it('is that of the definition, with paths that are those of the definition and prove what they should', async () => {
    await forAny(runs(200), fc.integer({ min: 1, max: 300 }), fc.nat(299), fc.nat(299), async (size, anyIndex, anyFrom) => {
      const leaves = someLeaves(size);
      const [index, from] = [anyIndex % size, 1 + (anyFrom % size)];
      const root = mth(leaves);
      expect(treeOf(leaves).root()).toEqual(root);
      const hashes = (ranges: readonly Readonly<{ start: number; end: number }>[]) =>
        ranges.map(({ start, end }) =>
          joinPeaks(nodesOf(start, end).map(({ level, index: at }) => mth(leaves.slice(at * 2 ** level, (at + 1) * 2 ** level)))),
        );
      const inclusion = hashes(inclusionRanges(index, size));
      expect(inclusion).toEqual(path(index, leaves));
      const leaf = leaves[index] as Buffer;
      const proves = (changed: Readonly<{ leaf?: Buffer; index?: number }>, hexes: readonly string[]): Promise<boolean> =>
        provesInclusion({ leaf, index, size, root: root.toString('hex'), ...changed }, hexes, {
          sha256: (bytes) => sha(Buffer.from(bytes)),
        });
      const hexes = inclusion.map((hash) => hash.toString('hex'));
      expect(await proves({}, hexes)).toBe(true);
      expect(await proves({ leaf: sha(leaf) }, hexes)).toBe(false);
      expect(await proves({}, [...hexes, root.toString('hex')])).toBe(false);
      if (size > 1) expect(await proves({ index: (index + 1) % size }, hexes)).toBe(false);
      const consistency = hashes(consistencyRanges(from, size));
      expect(consistency).toEqual(subproof(from, leaves, true));
      const older = { size: from, root: mth(leaves.slice(0, from)) };
      expect(provesConsistency(older, { size, root }, consistency)).toBe(true);
      expect(provesConsistency({ ...older, root: sha(older.root) }, { size, root }, consistency)).toBe(false);
      expect(provesConsistency(older, { size, root: sha(root) }, consistency)).toBe(false);
      expect(provesConsistency(older, { size, root }, [...consistency, root])).toBe(false);
    });
  });

  it('goes on from its frontier', () => {
    const leaves = someLeaves(77);
    for (const size of [0, 1, 2, 3, 64, 76]) {
      const resumed = Frontier.decode(size, treeOf(leaves.slice(0, size)).encode());
      for (const leaf of leaves.slice(size)) resumed.append(leaf);
      expect(resumed.root()).toEqual(mth(leaves));
    }
    expect(() => Frontier.decode(3, treeOf(leaves.slice(0, 4)).encode())).toThrow(RangeError);
  });
});
