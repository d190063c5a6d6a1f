/** The log position of an event as a sortable text of 20 digits. */
export const orderOf = ({ position }: Readonly<{ position: bigint }>): string => position.toString().padStart(20, '0');
