/** Leaves from `start` up to `end`, exclusive. */
export type LeafRange = Readonly<{ start: number; end: number }>;

/** A node of the tree: the root of the perfect tree over the `2^level` leaves from `index * 2^level` on. */
export type TreeNode = Readonly<{ level: number; index: number }>;

/** The largest power of two below a number greater than 1. */
const splitOf = (size: number): number => {
  let half = 1;
  while (half * 2 < size) half *= 2;
  return half;
};

/**
 * Ranges whose hashes prove that leaf `index` is in the tree of this size, from the leaf to the root: RFC 9162 2.1.3.1.
 * @param index below `size`
 */
export const inclusionRanges = (index: number, size: number): readonly LeafRange[] => {
  const path: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    if (index < middle) {
      path.unshift({ start: middle, end });
      end = middle;
    } else {
      path.unshift({ start, end: middle });
      start = middle;
    }
  }
  return path;
};

/**
 * Ranges whose hashes prove that a tree of size `to` begins with the leaves of the tree of size `from`: RFC 9162 2.1.4.1.
 * @param from at least 1, at most `to`
 */
export const consistencyRanges = (from: number, to: number): readonly LeafRange[] => {
  const path: LeafRange[] = [];
  let [start, end] = [0, to];
  while (from < end) {
    const middle = start + splitOf(end - start);
    if (from <= middle) {
      path.unshift({ start: middle, end });
      end = middle;
    } else {
      path.unshift({ start, end: middle });
      start = middle;
    }
  }
  // The verifier already has the root of the smaller tree. If nothing is left of this range, its hash is that root and is left out.
  return start === 0 ? path : [{ start, end }, ...path];
};

/** Divides a range into perfect trees, largest first. As in {@link inclusionRanges}, a range starts at a multiple of its size. */
export const nodesOf = (start: number, end: number): readonly TreeNode[] => {
  const nodes: TreeNode[] = [];
  for (let at = start; at < end; ) {
    let [level, width] = [0, 1];
    while (width * 2 <= end - at) [level, width] = [level + 1, width * 2];
    nodes.push({ level, index: at / width });
    at += width;
  }
  return nodes;
};
