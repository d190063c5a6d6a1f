const KIB = 1024;
const MIB = 1024 * KIB;

/** What a route takes at most. `values`: JSON values of any kind, keys of members not counted; 0: the body is not looked at, and JSON or not. */
export type BodyLimits = Readonly<{
  bytes: number;
  values: number;
  /** Objects and arrays in each other. */
  levels: number;
  /** Bytes of one string, or of a key, as it is written. */
  text: number;
}>;

/**
 * What bodies may be, by the kind of route (docs/limits.md). Routes name theirs in their decorator; `LOGBOOK_BODY_LIMIT` is the upper bound
 * of all bytes.
 */
export const BODY_LIMITS = {
  /** The handler has no use for a body. Default of GET, HEAD, DELETE and OPTIONS. */
  none: { bytes: 16 * KIB, values: 0, levels: 0, text: 0 },
  /** A form of a few texts. */
  form: { bytes: 16 * KIB, values: 100, levels: 10, text: 16 * KIB },
  /** One record. Default of POST, PUT and PATCH. */
  record: { bytes: MIB, values: 50_000, levels: 1_000, text: MIB },
  /** A record with long lists in it, or a schema. */
  document: { bytes: 4 * MIB, values: 250_000, levels: 1_000, text: MIB },
  /** A document that a schema is to judge. */
  judged: { bytes: 16 * MIB, values: 1_000_000, levels: 100_000, text: 16 * MIB },
  /** Messages: some of 10 MiB, or 10,000 small ones with their attributes. */
  publish: { bytes: 512 * MIB, values: 500_000, levels: 1_000, text: 12 * MIB },
  /** The list of a day: 100,000 items. */
  dayList: { bytes: 64 * MIB, values: 2_000_000, levels: 1_000, text: MIB },
  /** Metric results, read one after another. */
  metricData: { bytes: 512 * MIB, values: 4_000_000, levels: 1_000, text: MIB },
  /** A search of 100,000 queries. */
  search: { bytes: 32 * MIB, values: 1_000_000, levels: 1_000_000, text: MIB },
} as const satisfies Record<string, BodyLimits>;

export type BodyKind = keyof typeof BODY_LIMITS;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Which of {@link BODY_LIMITS} hold for the route. Default: `record` for POST, PUT and PATCH, else `none`. */
    body?: BodyKind;
  }
}

/** The limits of a route, with none of more bytes than `mostBytes`. */
export const bodyLimitsOf = (methods: string | readonly string[], kind: BodyKind | undefined, mostBytes: number): BodyLimits => {
  const takesBodies = [methods].flat().some((method) => method === 'POST' || method === 'PUT' || method === 'PATCH');
  const limits = BODY_LIMITS[kind ?? (takesBodies ? 'record' : 'none')];
  return { ...limits, bytes: Math.min(limits.bytes, mostBytes) };
};
