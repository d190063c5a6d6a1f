import { randomBytes } from 'node:crypto';

/** Position of a request in a distributed trace (W3C Trace Context). Ids are lower-case hex. */
export type TraceContext = Readonly<{ traceId: string; spanId: string; sampled: boolean }>;

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const NO_ID = /^0+$/;

/** Parses a `traceparent` header; `undefined` if it is invalid and must be ignored. */
export const readTraceparent = (header: unknown): TraceContext | undefined => {
  const found = typeof header === 'string' ? TRACEPARENT.exec(header) : null;
  if (!found) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = found;
  if (version === 'ff' || (version === '00' && more !== undefined) || NO_ID.test(traceId) || NO_ID.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
};

/** Writes the header in version 00. */
export const writeTraceparent = ({ traceId, spanId, sampled }: TraceContext): string => `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** @param ratio share of the traces started here that are sampled; decided by their ids, so that all nodes agree */
export const newTrace = (ratio: number): TraceContext => {
  const ids = randomBytes(24);
  const sampled = ids.readUInt32BE(12) < ratio * 2 ** 32;
  return { traceId: ids.toString('hex', 0, 16), spanId: ids.toString('hex', 16), sampled };
};

/** A child span. */
export const childOf = ({ traceId, sampled }: TraceContext): TraceContext => ({ traceId, spanId: randomBytes(8).toString('hex'), sampled });
