/**
 * About how many values a state holds at any depth, in maps, sets, arrays and objects; a long text counts for several. States are data
 * without cycles.
 */
export const countValues = (state: unknown): number => {
  const open: unknown[] = [state];
  let count = 0;
  while (open.length > 0) {
    const value = open.pop();
    count += 1;
    if (typeof value === 'string') count += Math.floor(value.length / 64);
    else if (value instanceof Map) for (const [key, item] of value) open.push(key, item);
    else if (value instanceof Set || Array.isArray(value)) for (const item of value) open.push(item);
    else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) open.push(item);
  }
  return count;
};
