import type { Json } from '#domain/shared/events.js';
import { isObject } from './references.js';
import type { Check, Keywords, SchemaNode, Subschemas } from './schema-node.js';
import { shortened } from './violations.js';

const listOf = (json: Json | undefined, parts: Subschemas): readonly SchemaNode[] | undefined =>
  Array.isArray(json) ? json.map(parts.applied) : undefined;

const conditional = (keywords: Keywords, parts: Subschemas): readonly Check[] => {
  const [condition, consequence, alternative] = ['if', 'then', 'else'].map((name) => {
    const json = keywords(name);
    return json === undefined ? undefined : parts.applied(json);
  });
  if (!condition) return [];
  return [
    (value, path, found) => {
      if (condition.accepts(value, found)) {
        if (consequence && !consequence.accepts(value, found)) found.report(path, 'Must validate "then" as "if" was valid');
      } else if (alternative && !alternative.accepts(value, found)) {
        found.report(path, 'Must validate "else" as "if" was not valid');
      }
    },
  ];
};

/** What the presence of a member asks for: other members, or that the object satisfies a schema. */
const dependencyChecks = (keywords: Keywords, parts: Subschemas): readonly Check[] => {
  const dependencies = keywords('dependencies');
  if (!isObject(dependencies)) return [];
  return Object.entries(dependencies).map(([name, wanted]): Check => {
    if (Array.isArray(wanted)) {
      const others = wanted.map(String);
      return (value, path, found) => {
        if (!(value instanceof Map) || !value.has(name)) return;
        found.budget.spend(others.length);
        for (const other of others) if (!value.has(other)) found.report(path, `Has a dependency on ${shortened(other)}`);
      };
    }
    const schema = parts.applied(wanted);
    return (value, path, found) => {
      if (value instanceof Map && value.has(name)) schema.check(value, path, found);
    };
  });
};

/** Schemas that are put together: each failing keyword is one violation, whatever its parts found. */
export const combinationChecks = (keywords: Keywords, parts: Subschemas): readonly Check[] => {
  const checks: Check[] = [];
  const [any, one, all] = ['anyOf', 'oneOf', 'allOf'].map((name) => listOf(keywords(name), parts));
  if (any) {
    checks.push((value, path, found) => {
      if (!any.some((part) => part.accepts(value, found))) found.report(path, 'Must validate at least one schema (anyOf)');
    });
  }
  if (one) {
    checks.push((value, path, found) => {
      const matching = one.filter((part) => part.accepts(value, found)).length;
      if (matching !== 1) found.report(path, 'Must validate one and only one schema (oneOf)');
    });
  }
  if (all) {
    checks.push((value, path, found) => {
      if (!all.every((part) => part.accepts(value, found))) found.report(path, 'Must validate all the schemas (allOf)');
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
