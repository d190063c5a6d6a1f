type Logged = Readonly<{ position: bigint }>;

/** The log position of an event as a sortable text of 20 digits. */
export const orderOf = ({ position }: Logged): string => position.toString().padStart(20, '0');

const RADIX = 36;

/** The log position of an event as a short sortable text: the number of its digits to base 36, then the digits. */
export const placeOf = ({ position }: Logged): string => {
  const digits = position.toString(RADIX);
  return digits.length.toString(RADIX) + digits;
};
