/** Position of a result in the log: the position of its event, and its index there. Sorts like the log. */
export const sequenceOf = (position: bigint | string, index: number): string =>
  `${String(position).padStart(20, '0')}.${String(index).padStart(3, '0')}`;
