/** The number in a segment of a path; `undefined` if it is none, so that the path does not exist. */
export const numberOf = (segment: string): number | undefined => {
  const number = /^(0|[1-9]\d{0,15})$/.test(segment) ? Number(segment) : undefined;
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
};
