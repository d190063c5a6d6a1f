import { decimal } from '#domain/accounting/decimal.js';
import { type Instant, wireInstant } from '#domain/accounting/metrics/instants.js';
import { JsonScanner } from '#domain/shared/json/json-scanner.js';
import { TextSource } from '#domain/shared/json/json-source.js';
import { plainNumber, wireText } from '#projections/accounting/wire.js';
import type { DocumentCodec } from '#projections/shared/projection.js';

/** Members in the order of the wire; `value` is an exact decimal number as text, `registered_on` an instant with milliseconds. */
export type CapacityDocument = Readonly<{
  id: string;
  installation_id: string;
  metric_definition_id: string;
  value: string;
  registered_on: Instant;
}>;

/** Capacities as the JSON list of an answer; values keep all their digits. */
export const capacitiesText = (capacities: readonly CapacityDocument[]): string =>
  wireText(
    capacities.map((capacity) => ({
      ...capacity,
      value: plainNumber(decimal(capacity.value)),
      registered_on: wireInstant(capacity.registered_on),
    })),
  );

const [LIST, OBJECT, OBJECT_END, COLON, COMMA] = [0x5b, 0x7b, 0x7d, 0x3a, 0x2c];

/** The members of the next object, numbers as their text: `JSON.parse` would lose digits. */
const membersIn = (scanner: JsonScanner): ReadonlyMap<string, string> => {
  const members = new Map<string, string>();
  while (!scanner.takes(OBJECT_END)) {
    const name: string = JSON.parse(scanner.token());
    scanner.takes(COLON);
    const value = scanner.token();
    members.set(name, value.startsWith('"') ? JSON.parse(value) : value);
    scanner.takes(COMMA);
  }
  return members;
};

const withMilliseconds = (instant: string): Instant => (instant.includes('.') ? instant : `${instant.slice(0, -1)}.000Z`);

/** The capacities of an installation are stored as the answer of their list. */
export const capacitiesCodec = {
  encode: (document: unknown) => capacitiesText(document as readonly CapacityDocument[]),
  decode: (text: string): readonly CapacityDocument[] => {
    const scanner = new JsonScanner(new TextSource(text));
    const capacities: CapacityDocument[] = [];
    scanner.takes(LIST);
    while (scanner.takes(OBJECT)) {
      const members = membersIn(scanner);
      const member = (name: keyof CapacityDocument): string => members.get(name) ?? '';
      capacities.push({
        id: member('id'),
        installation_id: member('installation_id'),
        metric_definition_id: member('metric_definition_id'),
        value: member('value'),
        registered_on: withMilliseconds(member('registered_on')),
      });
      scanner.takes(COMMA);
    }
    return capacities;
  },
} satisfies DocumentCodec;
