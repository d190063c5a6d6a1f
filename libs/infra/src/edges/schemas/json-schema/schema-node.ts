import type { Json } from '#domain/shared/events.js';
import type { JsonValue } from '#infra/edges/schemas/json/json-text.js';
import type { StateBuilder } from '#infra/edges/schemas/patterns/pattern-program.js';
import type { ViolationPath, Violations } from './violations.js';

/** Reports the flaws of a value. */
export type SchemaCheck = (value: JsonValue, path: ViolationPath, found: Violations) => void;

/** Returns whether the type of a value is allowed; reports it if not. */
export type TypeCheck = (value: JsonValue, path: ViolationPath, found: Violations) => boolean;

/** Returns a keyword of one schema, if its dialect knows it. */
export type Keywords = (name: string) => Json | undefined;

/** A schema inside a document, compiled. */
export class SchemaNode {
  /** Schemas that apply to the same value. */
  readonly inPlace: SchemaNode[] = [];
  private checks: readonly SchemaCheck[] = [];
  private allowsType: TypeCheck | undefined;
  private isEndless = false;
  private underWay: JsonValue | undefined;

  /** Nodes may refer to each other in circles, so they are created before their checks are known. */
  complete(checks: readonly SchemaCheck[], allowsType?: TypeCheck): void {
    this.checks = checks;
    this.allowsType = allowsType;
  }

  /** Marks a schema that applies itself to the same value, as `{"$ref":"#"}`: where it reaches itself again, it accepts. */
  markEndless(): void {
    this.isEndless = true;
  }

  /** Reports the flaws of a value. A value of a wrong type is not checked further. */
  check(value: JsonValue, path: ViolationPath, found: Violations): void {
    found.budget.spend(1);
    if (!this.isEndless) {
      this.applyTo(value, path, found);
      return;
    }
    const before = this.underWay;
    if (before === value) return;
    this.underWay = value;
    try {
      this.applyTo(value, path, found);
    } finally {
      this.underWay = before;
    }
  }

  /** Returns whether a value has no violations, without reporting them. */
  accepts(value: JsonValue, found: Violations): boolean {
    const part = found.unreadPart();
    this.check(value, undefined, part);
    return part.count === 0;
  }

  private applyTo(value: JsonValue, path: ViolationPath, found: Violations): void {
    if (this.allowsType && !this.allowsType(value, path, found)) return;
    for (const check of this.checks) check(value, path, found);
    found.creditValue();
  }
}

/**
 * Compiles nested schemas: `schema` those for other values, `applied` those for the same value. `patterns` builds the patterns of the
 * document, which share its limits.
 */
export type Subschemas = Readonly<{ schema(json: Json): SchemaNode; applied(json: Json): SchemaNode; patterns: StateBuilder }>;
