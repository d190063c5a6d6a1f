import { siblingsOnTheLeft } from '#domain/integrity/climb.js';
import { type Hash, nodeHash } from '#domain/integrity/merkle.js';
import { nodesOf } from '#domain/integrity/merkle-ranges.js';

/** A tree by its size and root. */
type TreeHead = Readonly<{ size: number; root: Hash }>;

/** Whether a path proves that the larger tree begins with the leaves of the smaller one: RFC 9162 2.1.4.2. */
export const provesConsistency = (from: TreeHead, to: TreeHead, path: readonly Hash[]): boolean => {
  if (from.size < 1 || from.size > to.size) return false;
  if (from.size === to.size) return path.length === 0 && from.root.equals(to.root);
  const [first, ...rest] = nodesOf(0, from.size).length === 1 ? [from.root, ...path] : path;
  if (!first) return false;
  let [node, last] = [from.size - 1, to.size - 1];
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  const [newer, older] = climb(node, last, [first, first], rest) ?? [];
  return newer?.equals(to.root) === true && older?.equals(from.root) === true;
};

/**
 * Goes up from a node to the root. The first hash is joined with every sibling, the second one with those on the left, which the smaller tree has
 * too. `undefined`: the path is too long or too short.
 */
const climb = (node: number, last: number, hashes: readonly Hash[], path: readonly Hash[]): readonly Hash[] | undefined => {
  const sides = siblingsOnTheLeft(node, last);
  if (sides.length !== path.length) return undefined;
  return path.reduce(
    (joined, sibling, at) => joined.map((hash, position) => joinedWith(sibling, hash, sides[at] === true, position === 0)),
    hashes,
  );
};

const joinedWith = (sibling: Hash, hash: Hash, isRight: boolean, isWhole: boolean): Hash => {
  if (isRight) return nodeHash(sibling, hash);
  return isWhole ? nodeHash(hash, sibling) : hash;
};
