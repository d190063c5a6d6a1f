/**
 * JSON text of an object. Its members must already be JSON; writers ensure that.
 * @throws TypeError for anything but an object, and for one that contains itself
 */
export const jsonText = (value: object): string => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not a JSON object');
  return JSON.stringify(value);
};
