import type { Json } from '#domain/shared/events.js';
import type { JsonValue } from '#infra/edges/schemas/json/json-text.js';
import { isObject } from './references.js';
import type { Keywords, SchemaCheck, SchemaNode, Subschemas } from './schema-node.js';
import { BestMatch, shortened, type ViolationPath, type Violations } from './violations.js';

/** An empty list counts as a missing keyword. */
const listOf = (json: Json | undefined, parts: Subschemas): readonly SchemaNode[] | undefined =>
  Array.isArray(json) && json.length > 0 ? json.map(parts.applied) : undefined;

/** Requires that one of the schemas accepts the value. Otherwise the violations of the best match follow the description. */
const requireMatch = (
  nodes: readonly SchemaNode[],
  value: JsonValue,
  path: ViolationPath,
  found: Violations,
  description: string,
): void => {
  const best = new BestMatch();
  if (nodes.some((node) => best.holds(found, (part) => node.check(value, path, part)))) return;
  found.report(path, description);
  best.tell(found);
};

const conditional = (keywords: Keywords, parts: Subschemas): readonly SchemaCheck[] => {
  const [condition, consequence, alternative] = ['if', 'then', 'else'].map((name) => {
    const json = keywords(name);
    return json === undefined ? undefined : parts.applied(json);
  });
  if (!condition) return [];
  return [
    (value, path, found) => {
      if (condition.accepts(value, found)) {
        if (consequence) requireMatch([consequence], value, path, found, 'Must validate "then" as "if" was valid');
      } else if (alternative) requireMatch([alternative], value, path, found, 'Must validate "else" as "if" was not valid');
    },
  ];
};

/** Requirements if a member is present: other members, or a schema for the object. */
const dependencyChecks = (keywords: Keywords, parts: Subschemas): readonly SchemaCheck[] => {
  const dependencies = keywords('dependencies');
  if (!isObject(dependencies)) return [];
  return Object.entries(dependencies).map(([name, wanted]): SchemaCheck => {
    if (Array.isArray(wanted)) {
      const others = wanted.map(String);
      return (value, path, found) => {
        if (!(value instanceof Map) || !value.has(name)) return;
        found.budget.spend(others.length);
        for (const other of others) if (!value.has(other)) found.report(path, () => `Has a dependency on ${shortened(other)}`);
      };
    }
    const schema = parts.applied(wanted);
    return (value, path, found) => {
      if (value instanceof Map && value.has(name)) schema.check(value, path, found);
    };
  });
};

/** Combined schemas, in the order in which violations are reported (messaging contract 5.3). */
export const combinationChecks = (keywords: Keywords, parts: Subschemas): readonly SchemaCheck[] => {
  const checks: SchemaCheck[] = [];
  const [any, one, all] = ['anyOf', 'oneOf', 'allOf'].map((name) => listOf(keywords(name), parts));
  if (any) checks.push((value, path, found) => requireMatch(any, value, path, found, 'Must validate at least one schema (anyOf)'));
  if (one) {
    checks.push((value, path, found) => {
      const best = new BestMatch();
      const matching = one.filter((node) => best.holds(found, (part) => node.check(value, path, part))).length;
      if (matching === 1) return;
      found.report(path, 'Must validate one and only one schema (oneOf)');
      if (matching === 0) best.tell(found);
    });
  }
  if (all) {
    checks.push((value, path, found) => {
      const before = found.count;
      for (const part of all) part.check(value, path, found);
      if (found.count > before) found.report(path, 'Must validate all the schemas (allOf)');
    });
  }
  const negated = keywords('not');
  if (negated !== undefined) {
    const part = parts.applied(negated);
    checks.push((value, path, found) => {
      if (part.accepts(value, found)) found.report(path, 'Must not validate the schema (not)');
    });
  }
  return [...checks, ...dependencyChecks(keywords, parts), ...conditional(keywords, parts)];
};
