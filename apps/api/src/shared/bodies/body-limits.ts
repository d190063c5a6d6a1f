import type { IncomingHttpHeaders } from 'node:http';

const KIB = 1024;
const MIB = 1024 * KIB;

/** What a route takes at most. */
export type BodyLimits = Readonly<{
  bytes: number;
  /** JSON values of any kind, keys not counted. 0: nobody reads the body, whatever it is. */
  values: number;
  /** Objects and arrays in each other. */
  levels: number;
  /** Bytes of one string, key, number or run of blanks, as it is written. */
  text: number;
  /** What a value counts in the budget of bytes beside its text; 0 where values are read one after another. */
  valueBytes: number;
  /** The body may be NDJSON, too, if its content type says so: the limits hold for all of its lines together. */
  ndjson?: true;
}>;

/** What a value takes in memory once it is read. */
const VALUE_BYTES = 64;

/**
 * What bodies may be, by the kind of route (docs/limits.md). Routes name theirs in their decorator; `LOGBOOK_BODY_LIMIT` is the upper bound
 * of all bytes.
 */
export const BODY_LIMITS = {
  /** The handler has no use for a body. Default of GET, HEAD, DELETE and OPTIONS. */
  none: { bytes: 16 * KIB, values: 0, levels: 0, text: 0, valueBytes: 0 },
  /** A form of a few texts. */
  form: { bytes: 16 * KIB, values: 100, levels: 10, text: 16 * KIB, valueBytes: VALUE_BYTES },
  /** A record of a few texts. Default of POST, PUT and PATCH of the accounting service. */
  entry: { bytes: 64 * KIB, values: 10_000, levels: 1_000, text: 64 * KIB, valueBytes: VALUE_BYTES },
  /** One record. Default of POST, PUT and PATCH of the other services. */
  record: { bytes: MIB, values: 50_000, levels: 1_000, text: MIB, valueBytes: VALUE_BYTES },
  /** A schema of messages, however it is laid out. */
  schema: { bytes: 4 * MIB, values: 150_000, levels: 100_000, text: 4 * MIB, valueBytes: VALUE_BYTES },
  /** A record with long lists in it. */
  document: { bytes: 8 * MIB, values: 500_000, levels: 1_000, text: MIB, valueBytes: VALUE_BYTES },
  /** A document that a schema is to judge. */
  judged: { bytes: 16 * MIB, values: 1_000_000, levels: 100_000, text: 16 * MIB, valueBytes: VALUE_BYTES },
  /** Messages: some of 10 MiB, or 10,000 small ones with their attributes. */
  publish: { bytes: Number.POSITIVE_INFINITY, values: 500_000, levels: 1_000, text: 12 * MIB, valueBytes: VALUE_BYTES },
  /** The list of a day: 100,000 items. */
  dayList: { bytes: 64 * MIB, values: 2_000_000, levels: 1_000, text: MIB, valueBytes: VALUE_BYTES },
  /** Metric results, read one after another. */
  metricData: { bytes: Number.POSITIVE_INFINITY, values: 4_000_000, levels: 1_000, text: 4 * MIB, valueBytes: 0, ndjson: true },
  /** A search of 100,000 queries. */
  search: { bytes: 32 * MIB, values: 1_000_000, levels: 1_000_000, text: MIB, valueBytes: VALUE_BYTES },
} as const satisfies Record<string, BodyLimits>;

export type BodyKind = keyof typeof BODY_LIMITS;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Which of {@link BODY_LIMITS} hold for the route. Default: that of its service for POST, PUT and PATCH, else `none`. */
    body?: BodyKind;
    /** The limits that follow for the route. */
    bodyLimits?: BodyLimits;
  }
}

const NDJSON = /^application\/(?:x-)?ndjson\s*(?:;|$)/i;

/** Whether the content type says that each line of the body is JSON of its own. */
export const isNdjson = (headers: IncomingHttpHeaders): boolean => NDJSON.test(headers['content-type'] ?? '');

/** The limits of a route, with none of more bytes than `mostBytes`. `usual`: of a body whose route names no kind. */
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
