import type { IncomingHttpHeaders } from 'node:http';
import type { JsonLimits } from '#api/shared/json/json-scan.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits of the body of a route; a body with 0 `values` is not parsed. */
export type BodyLimits = JsonLimits &
  Readonly<{
    bytes: number;
    /** Bytes that each value adds to the body in the budget; 0 if values are read one after another. */
    valueBytes: number;
    /** The body may also be NDJSON, according to its content type. The limits apply to all lines together. */
    ndjson?: true;
  }>;

/** Estimated memory of a parsed value. */
const VALUE_BYTES = 64;

/**
 * Limits of bodies by kind of route (docs/limits.md). Decorators of routes name their kind. `LOGBOOK_BODY_LIMIT` limits the bytes of all
 * kinds.
 */
export const BODY_LIMITS = {
  /** The handler ignores the body. Default of GET, HEAD, DELETE and OPTIONS. */
  none: { bytes: 16 * KIB, values: 0, levels: 0, text: 0, valueBytes: 0 },
  /** A form of a few texts. */
  form: { bytes: 16 * KIB, values: 100, levels: 10, text: 16 * KIB, valueBytes: VALUE_BYTES },
  /** A record of a few texts. Default of POST, PUT and PATCH of the accounting service. */
  entry: { bytes: 64 * KIB, values: 10_000, levels: 1_000, text: 64 * KIB, valueBytes: VALUE_BYTES },
  /** One record. Default of POST, PUT and PATCH of the other services. */
  record: { bytes: MIB, values: 50_000, levels: 1_000, text: MIB, valueBytes: VALUE_BYTES },
  /** A schema of messages, in any layout. */
  schema: { bytes: 4 * MIB, values: 150_000, levels: 100_000, text: 4 * MIB, valueBytes: VALUE_BYTES },
  /** A record that contains long lists. */
  document: { bytes: 8 * MIB, values: 500_000, levels: 1_000, text: MIB, valueBytes: VALUE_BYTES },
  /** A document to be validated by a schema. */
  validated: { bytes: 16 * MIB, values: 1_000_000, levels: 100_000, text: 16 * MIB, valueBytes: VALUE_BYTES },
  /** Messages: some of 10 MiB, or 10,000 small ones with their attributes. */
  publish: { bytes: Number.POSITIVE_INFINITY, values: 500_000, levels: 1_000, text: 12 * MIB, valueBytes: VALUE_BYTES },
  /** The list of a day: 100,000 items. */
  dayList: { bytes: 64 * MIB, values: 2_000_000, levels: 1_000, text: MIB, valueBytes: VALUE_BYTES },
  /** Metric results, read one after another. */
  metricData: { bytes: Number.POSITIVE_INFINITY, values: 4_000_000, levels: 1_000, text: 4 * MIB, valueBytes: VALUE_BYTES, ndjson: true },
  /** A search of 100,000 queries. */
  search: { bytes: 32 * MIB, values: 1_000_000, levels: 1_000_000, text: MIB, valueBytes: VALUE_BYTES },
} as const satisfies Record<string, BodyLimits>;

export type BodyKind = keyof typeof BODY_LIMITS;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Kind of {@link BODY_LIMITS} for the route. Default: the service's for POST, PUT and PATCH, otherwise `none`. */
    body?: BodyKind;
    /** The resulting limits of the route. */
    bodyLimits?: BodyLimits;
  }
}

const NDJSON = /^application\/(?:x-)?ndjson\s*(?:;|$)/i;

/** Returns whether the content type is NDJSON: each line of the body is one JSON value. */
export const isNdjson = (headers: IncomingHttpHeaders): boolean => NDJSON.test(headers['content-type'] ?? '');

/** Limits of a route, with at most `mostBytes`. `usual`: the kind for routes that name none. */
export const bodyLimitsOf = (
  methods: string | readonly string[],
  kind: BodyKind | undefined,
  mostBytes: number,
  usual: BodyKind = 'record',
): BodyLimits => {
  const takesBodies = [methods].flat().some((method) => method === 'POST' || method === 'PUT' || method === 'PATCH');
  const limits = BODY_LIMITS[kind ?? (takesBodies ? usual : 'none')];
  return { ...limits, bytes: Math.min(limits.bytes, mostBytes) };
};
