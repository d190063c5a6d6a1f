/** The number that a segment of a path stands for; `undefined`: it is none, so nothing is at that path. */
export const numberOf = (segment: string): number | undefined => {
  const number = /^(0|[1-9]\d{0,15})$/.test(segment) ? Number(segment) : undefined;
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
};
