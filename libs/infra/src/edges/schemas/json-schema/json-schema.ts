import type { Json, JsonObject } from '#domain/shared/events.js';
import type { Budget } from '#infra/edges/schemas/budget.js';
import type { JsonValue } from '#infra/edges/schemas/json/json-text.js';
import { StateBuilder } from '#infra/edges/schemas/patterns/pattern-program.js';
import { combinationChecks } from './combinations.js';
import { arrayChecks, objectChecks } from './containers.js';
import { contradictionIn } from './contradictions.js';
import { checkKeywords, type Dialect, dialectOf, keywordOf } from './keywords.js';
import { isObject, type LocatedSchema, SchemaReferences } from './references.js';
import { type Keywords, SchemaNode, type Subschemas } from './schema-node.js';
import { equalityChecks, numberChecks, textChecks, typeCheck } from './values.js';
import { Violations } from './violations.js';

const ID_KEYWORDS: Readonly<Record<Dialect, readonly string[]>> = {
  'draft-04': ['id'],
  'draft-06': ['$id'],
  'draft-07': ['$id'],
  merged: ['$id', 'id'],
};

class Compiler {
  private readonly nodes = new Map<Json, SchemaNode>();
  private readonly dialect: Dialect;
  private readonly references: SchemaReferences;
  readonly patterns = new StateBuilder();
  /** The first contradiction. */
  refusal: string | undefined;

  constructor(document: JsonObject) {
    this.dialect = dialectOf(document);
    this.references = new SchemaReferences(document, ID_KEYWORDS[this.dialect]);
  }

  compile(): SchemaNode {
    const root = this.node(this.references.root);
    this.markEndlessReferences();
    return root;
  }

  private node({ schema, base }: LocatedSchema): SchemaNode {
    const known = this.nodes.get(schema);
    if (known) return known;
    const node = new SchemaNode();
    this.nodes.set(schema, node);
    if (isObject(schema)) this.complete(node, schema, this.references.baseOf(schema, base));
    else if (schema === false) node.complete([(_value, path, found) => found.report(path, 'False always fails validation')]);
    return node;
  }

  private complete(node: SchemaNode, schema: JsonObject, base: string): void {
    const reference = keywordOf(schema, '$ref', this.dialect);
    if (typeof reference === 'string') {
      const target = this.node(this.references.resolve(reference, base));
      node.inPlace.push(target);
      node.complete([(value, path, found) => target.check(value, path, found)]);
      return;
    }
    checkKeywords(schema, this.dialect);
    const keywords: Keywords = (name) => keywordOf(schema, name, this.dialect);
    this.refusal ??= contradictionIn(keywords);
    const allowsType = typeCheck(keywords);
    const parts: Subschemas = {
      patterns: this.patterns,
      schema: (json) => this.node({ schema: json, base }),
      applied: (json) => {
        const part = this.node({ schema: json, base });
        node.inPlace.push(part);
        return part;
      },
    };
    for (const definition of Object.values(keywords('definitions') ?? {})) parts.schema(definition); // even if nothing refers to it
    const arrays = arrayChecks(keywords, parts);
    const objects = objectChecks(keywords, parts);
    const checks = [
      ...combinationChecks(keywords, parts),
      ...arrays.whole,
      ...objects.whole,
      ...numberChecks(keywords),
      ...textChecks(keywords, this.patterns),
      ...equalityChecks(keywords),
      ...arrays.children,
      ...objects.children,
    ];
    node.complete(checks, allowsType);
  }

  /** Marks a schema in each cycle of schemas that apply each other to the same value, which would never end. */
  private markEndlessReferences(): void {
    const done = new Set<SchemaNode>();
    const open = new Set<SchemaNode>();
    const visit = (node: SchemaNode): void => {
      if (open.has(node)) node.markEndless();
      if (open.has(node) || done.has(node)) return;
      open.add(node);
      node.inPlace.forEach(visit);
      open.delete(node);
      done.add(node);
    };
    for (const node of this.nodes.values()) visit(node);
  }
}

/**
 * `violations`: texts about the flaws of a value (messaging contract 5.3), empty if it is valid; throws TooMuchWork. `states`: number of
 * states of all its patterns. `refusal`: why the schema may not be created although it can validate: schemas older than the rules must keep
 * working.
 */
export type JsonSchema = Readonly<{
  violations(value: JsonValue, budget: Budget): readonly string[];
  states: number;
  refusal: string | undefined;
}>;

/** Compiles a JSON Schema document: draft 04, 06 or 07 as `$schema` says, otherwise the keywords of all three. @throws SchemaInvalid */
export const compileJsonSchema = (document: JsonObject): JsonSchema => {
  const compiler = new Compiler(document);
  const root = compiler.compile();
  const violations = (value: JsonValue, budget: Budget): readonly string[] => {
    const found = new Violations(budget, true);
    root.check(value, undefined, found);
    return found.texts();
  };
  return { violations, states: compiler.patterns.size, refusal: compiler.refusal };
};
