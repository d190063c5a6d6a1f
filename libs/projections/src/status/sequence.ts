/** Position of a result in the log: the position of its event, and its index there. Sorts like the log. */
export const sequenceOf = (position: bigint | string, index: number): string =>
  `${String(position).padStart(20, '0')}.${String(index).padStart(3, '0')}`;

/** The place of a result in the log. */
export type LogPlace = Readonly<{ position: number; index: number }>;

/** The place in the result of {@link sequenceOf}. Empty: before all. */
export const placeIn = (sequence: string): LogPlace => {
  const [position, index] = sequence.split('.', 2);
  return { position: Number(position || -1), index: Number(index) };
};

export const isLater = (one: LogPlace, other: LogPlace): boolean =>
  one.position > other.position || (one.position === other.position && one.index > other.index);
