/**
 * Sides of the siblings on the path from a node up to the root, from the node upwards: `true` means left. RFC 9162 2.1.3.2.
 * @param node index of the node at its level, a safe integer
 * @param last index of the last node at this level, not below `node`
 */
export const siblingsOnTheLeft = (node: number, last: number): readonly boolean[] => {
  const sides: boolean[] = [];
  for (let [at, end] = [node, last]; end > 0; [at, end] = [Math.floor(at / 2), Math.floor(end / 2)]) {
    const isRight = at % 2 === 1 || at === end;
    sides.push(isRight);
    if (isRight) while (at % 2 === 0 && at !== 0) [at, end] = [at / 2, Math.floor(end / 2)];
  }
  return sides;
};
