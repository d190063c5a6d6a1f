/** @throws RangeError `value` is not a whole number from 1 */
export const checkCount = (name: string, value: number): void => {
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`${name} must be a whole number from 1, not ${value}`);
};
