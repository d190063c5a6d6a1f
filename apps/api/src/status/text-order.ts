/** Texts in the order of their UTF-8 bytes, which is the order of code points. */
export const byBytes = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));
