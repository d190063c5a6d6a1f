export const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** Slot of a key in a Redis Cluster: CRC-16/XMODEM of the key, or of its first hash tag, modulo 16,384. */
export const keySlot = (key: string): number => {
  let crc = 0;
  for (const byte of Buffer.from(hashTag(key))) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1) & 0xffff;
  }
  return crc % SLOTS;
};

/** Text between the first `{` and the next `}`, unless it is empty. */
const hashTag = (key: string): string => {
  const start = key.indexOf('{');
  const end = start < 0 ? -1 : key.indexOf('}', start + 1);
  return end > start + 1 ? key.slice(start + 1, end) : key;
};
