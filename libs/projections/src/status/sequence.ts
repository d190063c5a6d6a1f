/** Place of a result in the log: that of its event, and its index there. Sorts as the log does. */
export const sequenceOf = (position: bigint | string, index: number): string =>
  `${String(position).padStart(20, '0')}.${String(index).padStart(3, '0')}`;
