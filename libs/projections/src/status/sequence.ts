/** Position of a result in the log: the position of its event, and its index there. Sorts like the log. */
export const sequenceOf = (position: bigint | string, index: number): string =>
  `${String(position).padStart(20, '0')}.${String(index).padStart(3, '0')}`;

/** The position of the event in the result of {@link sequenceOf}. */
export const positionIn = (sequence: string): number => Number(sequence.slice(0, sequence.indexOf('.')));
