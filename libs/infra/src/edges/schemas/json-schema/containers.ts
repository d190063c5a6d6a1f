import type { Json } from '#domain/shared/events.js';
import type { JsonValue } from '#infra/edges/schemas/json/json-text.js';
import type { Pattern } from '#infra/edges/schemas/patterns/pattern.js';
import { isObject } from './references.js';
import type { Keywords, SchemaCheck, SchemaNode, Subschemas } from './schema-node.js';
import { comparable, patternOf } from './values.js';
import { BestMatch, shortened, type ViolationPath, type Violations } from './violations.js';

/** Checks of an object or array as a whole, and of its members or elements. */
type ContainerChecks = Readonly<{ whole: readonly SchemaCheck[]; children: readonly SchemaCheck[] }>;

type Elements = readonly JsonValue[];
type Members = ReadonlyMap<string, JsonValue>;

const ofArrays =
  (check: (elements: Elements, path: ViolationPath, found: Violations) => void): SchemaCheck =>
  (value, path, found) => {
    if (Array.isArray(value)) check(value, path, found);
  };

const ofObjects =
  (check: (members: Members, path: ViolationPath, found: Violations) => void): SchemaCheck =>
  (value, path, found) => {
    if (value instanceof Map) check(value, path, found);
  };

const uniqueness = ofArrays((elements, path, found) => {
  const places = new Map<string, number>();
  for (const [place, element] of elements.entries()) {
    const text = comparable(element, found);
    const before = places.get(text);
    if (before !== undefined) found.report(path, `array items[${before},${place}] must be unique`);
    places.set(text, place);
  }
});

/** `items` as one schema for all elements, or as one schema for each of the first elements, with `additionalItems` for the others. */
const elementChecks = (keywords: Keywords, parts: Subschemas): ContainerChecks => {
  const items = keywords('items');
  if (items === undefined) return { whole: [], children: [] };
  const listed = Array.isArray(items) ? items.map(parts.schema) : [];
  const additional = Array.isArray(items) ? keywords('additionalItems') : items;
  const rest = additional === undefined || (Array.isArray(items) && additional === false) ? undefined : parts.schema(additional);
  const isClosed = Array.isArray(items) && additional === false;
  return {
    whole: isClosed
      ? [
          ofArrays((elements, path, found) => {
            if (elements.length > listed.length) found.report(path, 'No additional items allowed on array');
          }),
        ]
      : [],
    children: [
      ofArrays((elements, path, found) => {
        found.budget.spend(elements.length);
        for (const [key, element] of elements.entries()) (listed[key] ?? rest)?.check(element, { outer: path, key }, found);
      }),
    ],
  };
};

export const arrayChecks = (keywords: Keywords, parts: Subschemas): ContainerChecks => {
  const [least, most, contained] = ['minItems', 'maxItems', 'contains'].map(keywords);
  const elements = elementChecks(keywords, parts);
  const whole: SchemaCheck[] = [...elements.whole];
  if (typeof least === 'number') {
    whole.push(
      ofArrays(({ length }, path, found) => {
        if (length < least) found.report(path, `Array must have at least ${least} items`);
      }),
    );
  }
  if (typeof most === 'number') {
    whole.push(
      ofArrays(({ length }, path, found) => {
        if (length > most) found.report(path, `Array must have at most ${most} items`);
      }),
    );
  }
  if (keywords('uniqueItems') === true) whole.push(uniqueness);
  if (contained !== undefined) {
    const wanted = parts.schema(contained);
    whole.push(
      ofArrays((values, path, found) => {
        const best = new BestMatch();
        const matches = (value: JsonValue, key: number): boolean =>
          best.holds(found, (part) => wanted.check(value, { outer: path, key }, part));
        if (values.some(matches)) return;
        found.report(path, 'At least one of the items must match');
        best.tell(found);
      }),
    );
  }
  return { whole, children: elements.children };
};

/** Schemas for a member, by its name. */
type MemberRules = Readonly<{
  named: ReadonlyMap<string, SchemaNode>;
  matching: readonly Readonly<{ pattern: Pattern; schema: SchemaNode }>[];
  /** Schema for additional properties; `forbidden` means none are allowed. */
  additional: SchemaNode | 'forbidden' | undefined;
}>;

const entriesOf = (json: Json | undefined): readonly (readonly [string, Json])[] => (isObject(json) ? Object.entries(json) : []);

const memberRules = (keywords: Keywords, parts: Subschemas): MemberRules => {
  const additional = keywords('additionalProperties');
  return {
    named: new Map(entriesOf(keywords('properties')).map(([name, schema]) => [name, parts.schema(schema)])),
    matching: entriesOf(keywords('patternProperties')).map(([source, schema]) => ({
      pattern: patternOf(source, parts.patterns),
      schema: parts.schema(schema),
    })),
    additional: additional === false ? 'forbidden' : additional === undefined ? undefined : parts.schema(additional),
  };
};

const schemasFor = ({ named, matching }: MemberRules, name: string, { budget }: Violations): readonly SchemaNode[] => {
  const own = named.get(name);
  const matched = matching.filter(({ pattern }) => pattern(name, budget)).map(({ schema }) => schema);
  return own ? [own, ...matched] : matched;
};

const memberChecks = (rules: MemberRules): ContainerChecks => {
  const { additional } = rules;
  const whole = ofObjects((members, path, found) => {
    found.budget.spend(members.size);
    for (const name of members.keys()) {
      if (schemasFor(rules, name, found).length === 0) found.report(path, () => `Additional property ${shortened(name)} is not allowed`);
    }
  });
  const children = ofObjects((members, path, found) => {
    found.budget.spend(members.size);
    for (const [key, member] of members) {
      const own = schemasFor(rules, key, found);
      const schemas = own.length === 0 && additional && additional !== 'forbidden' ? [additional] : own;
      for (const schema of schemas) schema.check(member, { outer: path, key }, found);
    }
  });
  const isFree = rules.named.size === 0 && rules.matching.length === 0 && additional === undefined;
  return { whole: additional === 'forbidden' ? [whole] : [], children: isFree ? [] : [children] };
};

const sizeChecks = (keywords: Keywords): readonly SchemaCheck[] => {
  const [least, most] = ['minProperties', 'maxProperties'].map(keywords);
  const checks: SchemaCheck[] = [];
  if (typeof least === 'number') {
    checks.push(
      ofObjects(({ size }, path, found) => {
        if (size < least) found.report(path, `Must have at least ${least} properties`);
      }),
    );
  }
  if (typeof most === 'number') {
    checks.push(
      ofObjects(({ size }, path, found) => {
        if (size > most) found.report(path, `Must have at most ${most} properties`);
      }),
    );
  }
  return checks;
};

export const objectChecks = (keywords: Keywords, parts: Subschemas): ContainerChecks => {
  const whole: SchemaCheck[] = [...sizeChecks(keywords)];
  const required = [keywords('required') ?? []].flat().map(String);
  whole.push(
    ofObjects((members, path, found) => {
      found.budget.spend(required.length);
      for (const name of required) if (!members.has(name)) found.report(path, () => `${shortened(name)} is required`);
    }),
  );
  const members = memberChecks(memberRules(keywords, parts));
  whole.push(...members.whole);
  const names = keywords('propertyNames');
  if (names !== undefined) {
    const schema = parts.schema(names);
    whole.push(
      ofObjects((present, path, found) => {
        for (const name of present.keys()) {
          const best = new BestMatch();
          if (best.holds(found, (part) => schema.check(name, path, part))) continue;
          found.report(path, () => `Property name of "${shortened(name)}" does not match`);
          best.tell(found);
        }
      }),
    );
  }
  return { whole, children: members.children };
};
