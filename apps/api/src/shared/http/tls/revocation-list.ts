/** An element of a DER encoding: its tag, and start and end of its content. */
type Element = Readonly<{ tag: number; start: number; end: number }>;

const [SEQUENCE, UTC_TIME, GENERALIZED_TIME] = [0x30, 0x17, 0x18];

/** @throws RangeError the bytes end before the element does */
const elementAt = (der: Buffer, at: number): Element => {
  const tag = der.readUInt8(at);
  const first = der.readUInt8(at + 1);
  const bytes = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + bytes;
  const end = start + (bytes === 0 ? first : der.readUIntBE(at + 2, bytes));
  if (end > der.length) throw new RangeError('the encoding is cut off');
  return { tag, start, end };
};

/** `YYMMDDHHMMSSZ` with years from 1950 on, or `YYYYMMDDHHMMSSZ`. */
const timeIn = (text: string): Date => {
  const full = text.length === 13 ? `${Number(text.slice(0, 2)) < 50 ? '20' : '19'}${text}` : text;
  return new Date(full.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
};

/** End of a revocation list (DER, RFC 5280 5.1) according to its `nextUpdate`; `undefined` if it has none, or it is not such a list. */
export const endOfRevocationList = (der: Buffer): Date | undefined => {
  try {
    const list = elementAt(der, elementAt(der, 0).start);
    if (list.tag !== SEQUENCE) return undefined;
    const times: Date[] = [];
    for (let at = list.start; at < list.end && times.length < 2; ) {
      const { tag, start, end } = elementAt(der, at);
      if (tag === UTC_TIME || tag === GENERALIZED_TIME) times.push(timeIn(der.toString('latin1', start, end)));
      at = end;
    }
    const [, next] = times;
    return next && !Number.isNaN(next.getTime()) ? next : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};
