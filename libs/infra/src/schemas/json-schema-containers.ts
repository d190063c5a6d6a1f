import type { Json } from '#domain/shared/events.js';
import type { Parts, SchemaNode } from './json-schema.js';
import { isObject } from './json-schema-references.js';
import { type Check, comparable, type Keywords, patternOf } from './json-schema-values.js';
import type { JsonValue } from './json-text.js';
import { type Judgement, type Path, shortened } from './judgement.js';
import type { Pattern } from './pattern.js';

/** Checks of a value as a whole, and those of what it holds. */
type ContainerChecks = Readonly<{ whole: readonly Check[]; children: readonly Check[] }>;

type Elements = readonly JsonValue[];
type Members = ReadonlyMap<string, JsonValue>;

const ofArrays =
  (check: (elements: Elements, path: Path, judgement: Judgement) => void): Check =>
  (value, path, judgement) => {
    if (Array.isArray(value)) check(value, path, judgement);
  };

const ofObjects =
  (check: (members: Members, path: Path, judgement: Judgement) => void): Check =>
  (value, path, judgement) => {
    if (value instanceof Map) check(value, path, judgement);
  };

const uniqueness = ofArrays((elements, path, judgement) => {
  const places = new Map<string, number>();
  for (const [place, element] of elements.entries()) {
    const text = comparable(element, judgement);
    const before = places.get(text);
    if (before !== undefined) judgement.report(path, `array items[${before},${place}] must be unique`);
    places.set(text, place);
  }
});

/** `items` as one schema for all elements, or one for each of the first and `additionalItems` for the others. */
const elementChecks = (keywords: Keywords, parts: Parts): ContainerChecks => {
  const items = keywords('items');
  if (items === undefined) return { whole: [], children: [] };
  const listed = Array.isArray(items) ? items.map(parts.schema) : [];
  const additional = Array.isArray(items) ? keywords('additionalItems') : items;
  const rest = additional === undefined || (Array.isArray(items) && additional === false) ? undefined : parts.schema(additional);
  const isClosed = Array.isArray(items) && additional === false;
  return {
    whole: isClosed
      ? [
          ofArrays((elements, path, judgement) => {
            if (elements.length > listed.length) judgement.report(path, 'No additional items allowed on array');
          }),
        ]
      : [],
    children: [
      ofArrays((elements, path, judgement) => {
        for (const [key, element] of elements.entries()) (listed[key] ?? rest)?.judge(element, { outer: path, key }, judgement);
      }),
    ],
  };
};

export const arrayChecks = (keywords: Keywords, parts: Parts): ContainerChecks => {
  const [least, most, contained] = ['minItems', 'maxItems', 'contains'].map(keywords);
  const elements = elementChecks(keywords, parts);
  const whole: Check[] = [...elements.whole];
  if (typeof least === 'number') {
    whole.push(
      ofArrays(({ length }, path, judgement) => {
        if (length < least) judgement.report(path, `Array must have at least ${least} items`);
      }),
    );
  }
  if (typeof most === 'number') {
    whole.push(
      ofArrays(({ length }, path, judgement) => {
        if (length > most) judgement.report(path, `Array must have at most ${most} items`);
      }),
    );
  }
  if (keywords('uniqueItems') === true) whole.push(uniqueness);
  if (contained !== undefined) {
    const wanted = parts.schema(contained);
    whole.push(
      ofArrays((values, path, judgement) => {
        if (!values.some((value) => wanted.accepts(value, judgement))) judgement.report(path, 'At least one of the items must match');
      }),
    );
  }
  return { whole, children: elements.children };
};

/** Which schemas look at a member of a name. */
type MemberRules = Readonly<{
  named: ReadonlyMap<string, SchemaNode>;
  matching: readonly Readonly<{ pattern: Pattern; schema: SchemaNode }>[];
  /** For all others; `forbidden`: there may be no others. */
  additional: SchemaNode | 'forbidden' | undefined;
}>;

const entriesOf = (json: Json | undefined): readonly (readonly [string, Json])[] => (isObject(json) ? Object.entries(json) : []);

const memberRules = (keywords: Keywords, parts: Parts): MemberRules => {
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

const schemasFor = ({ named, matching }: MemberRules, name: string, { budget }: Judgement): readonly SchemaNode[] => {
  const own = named.get(name);
  const matched = matching.filter(({ pattern }) => pattern(name, budget)).map(({ schema }) => schema);
  return own ? [own, ...matched] : matched;
};

const memberChecks = (rules: MemberRules): ContainerChecks => {
  const { additional } = rules;
  const whole = ofObjects((members, path, judgement) => {
    for (const name of members.keys()) {
      if (schemasFor(rules, name, judgement).length === 0) judgement.report(path, `Additional property ${shortened(name)} is not allowed`);
    }
  });
  const children = ofObjects((members, path, judgement) => {
    for (const [key, member] of members) {
      const found = schemasFor(rules, key, judgement);
      const schemas = found.length === 0 && additional && additional !== 'forbidden' ? [additional] : found;
      for (const schema of schemas) schema.judge(member, { outer: path, key }, judgement);
    }
  });
  return { whole: additional === 'forbidden' ? [whole] : [], children: [children] };
};

const sizeChecks = (keywords: Keywords): readonly Check[] => {
  const [least, most] = ['minProperties', 'maxProperties'].map(keywords);
  const checks: Check[] = [];
  if (typeof least === 'number') {
    checks.push(
      ofObjects(({ size }, path, judgement) => {
        if (size < least) judgement.report(path, `Must have at least ${least} properties`);
      }),
    );
  }
  if (typeof most === 'number') {
    checks.push(
      ofObjects(({ size }, path, judgement) => {
        if (size > most) judgement.report(path, `Must have at most ${most} properties`);
      }),
    );
  }
  return checks;
};

export const objectChecks = (keywords: Keywords, parts: Parts): ContainerChecks => {
  const whole: Check[] = [];
  const required = [keywords('required') ?? []].flat().map(String);
  whole.push(
    ofObjects((members, path, judgement) => {
      judgement.budget.spend(required.length);
      for (const name of required) if (!members.has(name)) judgement.report(path, `${shortened(name)} is required`);
    }),
  );
  const members = memberChecks(memberRules(keywords, parts));
  whole.push(...members.whole, ...sizeChecks(keywords));
  const names = keywords('propertyNames');
  if (names !== undefined) {
    const schema = parts.schema(names);
    whole.push(
      ofObjects((present, path, judgement) => {
        for (const name of present.keys()) {
          if (!schema.accepts(name, judgement)) judgement.report(path, `Property name of "${shortened(name)}" does not match`);
        }
      }),
    );
  }
  return { whole, children: members.children };
};
