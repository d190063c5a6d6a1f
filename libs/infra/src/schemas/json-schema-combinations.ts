import type { Json } from '#domain/shared/events.js';
import type { Parts, SchemaNode } from './json-schema.js';
import { isObject } from './json-schema-references.js';
import type { Check, Keywords } from './json-schema-values.js';
import { shortened } from './judgement.js';

const listOf = (json: Json | undefined, parts: Parts): readonly SchemaNode[] | undefined =>
  Array.isArray(json) ? json.map(parts.applied) : undefined;

const conditional = (keywords: Keywords, parts: Parts): readonly Check[] => {
  const [condition, consequence, alternative] = ['if', 'then', 'else'].map((name) => {
    const json = keywords(name);
    return json === undefined ? undefined : parts.applied(json);
  });
  if (!condition) return [];
  return [
    (value, path, judgement) => {
      if (condition.accepts(value, judgement)) {
        if (consequence && !consequence.accepts(value, judgement)) judgement.report(path, 'Must validate "then" as "if" was valid');
      } else if (alternative && !alternative.accepts(value, judgement)) {
        judgement.report(path, 'Must validate "else" as "if" was not valid');
      }
    },
  ];
};

/** What the presence of a member asks for: other members, or that the object satisfies a schema. */
const dependencyChecks = (keywords: Keywords, parts: Parts): readonly Check[] => {
  const dependencies = keywords('dependencies');
  if (!isObject(dependencies)) return [];
  return Object.entries(dependencies).map(([name, wanted]): Check => {
    if (Array.isArray(wanted)) {
      const others = wanted.map(String);
      return (value, path, judgement) => {
        if (!(value instanceof Map) || !value.has(name)) return;
        judgement.budget.spend(others.length);
        for (const other of others) if (!value.has(other)) judgement.report(path, `Has a dependency on ${shortened(other)}`);
      };
    }
    const schema = parts.applied(wanted);
    return (value, path, judgement) => {
      if (value instanceof Map && value.has(name)) schema.judge(value, path, judgement);
    };
  });
};

/** Schemas that are put together: each failing keyword is one violation, whatever its parts found. */
export const combinationChecks = (keywords: Keywords, parts: Parts): readonly Check[] => {
  const checks: Check[] = [];
  const [any, one, all] = ['anyOf', 'oneOf', 'allOf'].map((name) => listOf(keywords(name), parts));
  if (any) {
    checks.push((value, path, judgement) => {
      if (!any.some((part) => part.accepts(value, judgement))) judgement.report(path, 'Must validate at least one schema (anyOf)');
    });
  }
  if (one) {
    checks.push((value, path, judgement) => {
      const matching = one.filter((part) => part.accepts(value, judgement)).length;
      if (matching !== 1) judgement.report(path, 'Must validate one and only one schema (oneOf)');
    });
  }
  if (all) {
    checks.push((value, path, judgement) => {
      if (!all.every((part) => part.accepts(value, judgement))) judgement.report(path, 'Must validate all the schemas (allOf)');
    });
  }
  const negated = keywords('not');
  if (negated !== undefined) {
    const part = parts.applied(negated);
    checks.push((value, path, judgement) => {
      if (part.accepts(value, judgement)) judgement.report(path, 'Must not validate the schema (not)');
    });
  }
  return [...checks, ...dependencyChecks(keywords, parts), ...conditional(keywords, parts)];
};
