/** The log position of an event as text of 20 digits that sorts by it. */
export const orderOf = ({ position }: Readonly<{ position: bigint }>): string => position.toString().padStart(20, '0');
