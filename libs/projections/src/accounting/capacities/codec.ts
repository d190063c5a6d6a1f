import { decimal } from '#domain/accounting/decimal.js';
import { type Instant, wireInstant } from '#domain/accounting/metrics/instants.js';
import { type Exact, exactText } from '#domain/shared/json/exact-json.js';
import type { Static } from '#domain/shared/shape.js';
import type { CAPACITY } from '#projections/accounting/components.js';
import { plainNumber } from '#projections/accounting/wire.js';
import type { DocumentCodec } from '#projections/shared/projection.js';

/** `value`: exact decimal number as text. `registered_on`: instant with milliseconds. */
export type CapacityDocument = Readonly<Record<keyof Static<typeof CAPACITY>, string>>;

/** Capacities as the JSON list of an answer. Values keep all their digits. */
export const capacitiesText = (capacities: readonly CapacityDocument[]): string =>
  exactText(
    capacities.map(
      (capacity): Exact<Static<typeof CAPACITY>> => ({
        ...capacity,
        value: plainNumber(decimal(capacity.value)),
        registered_on: wireInstant(capacity.registered_on),
      }),
    ),
  );

/** Matches the values of capacities in JSON, because `JSON.parse` would lose digits. Texts cannot match: their quotation marks are escaped. */
const VALUES = /"value":([^,}]+)/g;

const withMilliseconds = (instant: string): Instant => (instant.includes('.') ? instant : `${instant.slice(0, -1)}.000Z`);

/** The capacities of an installation are stored in the format of the answer that lists them. */
export const capacitiesCodec = {
  encode: (document: unknown) => capacitiesText(document as readonly CapacityDocument[]),
  decode: (text: string): readonly CapacityDocument[] => {
    const values = Array.from(text.matchAll(VALUES), ([, spelled]) => spelled as string);
    const capacities: readonly CapacityDocument[] = JSON.parse(text);
    return capacities.map((capacity, index) => ({
      ...capacity,
      value: values[index] as string,
      registered_on: withMilliseconds(capacity.registered_on),
    }));
  },
} satisfies DocumentCodec;
