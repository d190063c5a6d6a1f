import avro from 'avsc';

/**
 * Metric data as monitoring engines publish them: bare Avro in three orders of fields (results contract 1.1), written down independently of the
 * implementation, which has its own schemas and its own reader.
 */

/** Fields after `status`. */
const ORDERS = {
  A: ['monitoring_host', 'actual_data', 'summary', 'message', 'tags'],
  B: ['monitoring_host', 'summary', 'message', 'tags'],
  C: ['monitoring_host', 'summary', 'message', 'tags', 'actual_data'],
} as const;
export type Order = keyof typeof ORDERS;

/** The variants of a schema differ in what leaves no trace in a datum. */
const VARIANTS = {
  bare: { name: 'metric_data', more: {} },
  named: { name: 'argo.avro.metric_data', more: { default: null } },
  documented: { name: 'Metric', more: { doc: 'optional', default: null } },
} as const;
export type Variant = keyof typeof VARIANTS;

export const writerSchema = (order: Order, variant: Variant = 'bare'): object => {
  const { name, more } = VARIANTS[variant];
  const texts = ['timestamp', 'service', 'hostname', 'metric', 'status'].map((field) => ({ name: field, type: 'string' }));
  const optional = ORDERS[order].map((field) => ({
    name: field,
    type: ['null', field === 'tags' ? { type: 'map', values: ['null', 'string'] } : 'string'],
    ...more,
  }));
  return { type: 'record', name, fields: [...texts, ...optional] };
};

export const ORDER_NAMES = Object.keys(ORDERS) as readonly Order[];
export const VARIANT_NAMES = Object.keys(VARIANTS) as readonly Variant[];

export type Values = Readonly<Record<string, string | null | Readonly<Record<string, string | null>>>>;
export const NULLS: Values = { monitoring_host: null, actual_data: null, summary: null, message: null, tags: null };

/** One datum as avsc writes it; members that are left out are null. */
export const datum = (order: Order, values: Values, variant: Variant = 'bare'): Buffer =>
  avro.Type.forSchema(writerSchema(order, variant) as never).toBuffer({ ...NULLS, ...values });

/** The values of a datum in the first order by which avsc reads it to its last byte; `undefined` if there is none. */
export const decoded = (bytes: Buffer): Values | undefined => {
  for (const order of ORDER_NAMES) {
    try {
      return avro.Type.forSchema(writerSchema(order) as never).fromBuffer(bytes) as Values;
    } catch {}
  }
  return undefined;
};

/** What the recorded data say. The short ones have the first five only. */
export const RECORDED_VALUES = {
  timestamp: '2026-11-20T12:00:00Z',
  service: 'org.opensciencegrid.htcondorce',
  hostname: 'ce01.example.org',
  metric: 'ch.cern.HTCondor-JobSubmit',
  status: 'OK',
  monitoring_host: 'mon.example.org',
  summary: 'OK - déjà vu',
  message: 'line 1\nline 2',
  actual_data: 'time=0.2s;1;2',
} as const;

/** Data in base64 as the library of the publishers (Apache Avro for Python, 1.11.1) wrote them: with every field, and with nothing but nulls. */
export const RECORDED: Readonly<Record<Order, Readonly<{ full: string; nulls: string }>>> = {
  A: {
    full: 'KDIwMjYtMTEtMjBUMTI6MDA6MDBaPG9yZy5vcGVuc2NpZW5jZWdyaWQuaHRjb25kb3JjZSBjZTAxLmV4YW1wbGUub3JnNGNoLmNlcm4uSFRDb25kb3ItSm9iU3VibWl0BE9LAh5tb24uZXhhbXBsZS5vcmcCGnRpbWU9MC4yczsxOzICHE9LIC0gZMOpasOgIHZ1AhpsaW5lIDEKbGluZSAyAgQGcm9jABxlbmRwb2ludF9ncm91cAIMU0lURS1BAA==',
    nulls:
      'KDIwMjYtMTEtMjBUMTI6MDA6MDBaPG9yZy5vcGVuc2NpZW5jZWdyaWQuaHRjb25kb3JjZSBjZTAxLmV4YW1wbGUub3JnNGNoLmNlcm4uSFRDb25kb3ItSm9iU3VibWl0BE9LAAAAAAA=',
  },
  B: {
    full: 'KDIwMjYtMTEtMjBUMTI6MDA6MDBaPG9yZy5vcGVuc2NpZW5jZWdyaWQuaHRjb25kb3JjZSBjZTAxLmV4YW1wbGUub3JnNGNoLmNlcm4uSFRDb25kb3ItSm9iU3VibWl0BE9LAh5tb24uZXhhbXBsZS5vcmcCHE9LIC0gZMOpasOgIHZ1AhpsaW5lIDEKbGluZSAyAgQGcm9jABxlbmRwb2ludF9ncm91cAIMU0lURS1BAA==',
    nulls:
      'KDIwMjYtMTEtMjBUMTI6MDA6MDBaPG9yZy5vcGVuc2NpZW5jZWdyaWQuaHRjb25kb3JjZSBjZTAxLmV4YW1wbGUub3JnNGNoLmNlcm4uSFRDb25kb3ItSm9iU3VibWl0BE9LAAAAAA==',
  },
  C: {
    full: 'KDIwMjYtMTEtMjBUMTI6MDA6MDBaPG9yZy5vcGVuc2NpZW5jZWdyaWQuaHRjb25kb3JjZSBjZTAxLmV4YW1wbGUub3JnNGNoLmNlcm4uSFRDb25kb3ItSm9iU3VibWl0BE9LAh5tb24uZXhhbXBsZS5vcmcCHE9LIC0gZMOpasOgIHZ1AhpsaW5lIDEKbGluZSAyAgQGcm9jABxlbmRwb2ludF9ncm91cAIMU0lURS1BAAIadGltZT0wLjJzOzE7Mg==',
    nulls:
      'KDIwMjYtMTEtMjBUMTI6MDA6MDBaPG9yZy5vcGVuc2NpZW5jZWdyaWQuaHRjb25kb3JjZSBjZTAxLmV4YW1wbGUub3JnNGNoLmNlcm4uSFRDb25kb3ItSm9iU3VibWl0BE9LAAAAAAA=',
  },
};
