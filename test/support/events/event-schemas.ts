import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { categoryOf, type RecordedEvent } from '#domain/shared/events.js';

const FOLDER = 'docs/events';

const schemaOf = (category: string, type: string): string => `${category.split('.')[0]}.json#/$defs/${category}.${type}`;

/** The committed schemas of docs/events, each compiled when it is first needed. That they are schemas is a test of its own: every suite reads them. */
export class CommittedSchemas {
  private readonly ajv = new Ajv2020({ strict: false, validateSchema: false });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor() {
    for (const file of readdirSync(FOLDER)) this.ajv.addSchema(JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')), file);
  }

  /** What is wrong with the event as it is stored; `null`: nothing. Only the current version of its data is described. */
  flawOf({ stream, type, data, metadata }: Pick<RecordedEvent, 'stream' | 'type' | 'data' | 'metadata'>): string | null {
    const [category, flaw] = [categoryOf(stream), this.flaw('metadata.json', metadata)];
    return flaw ?? (metadata.schemaVersion < this.versionOf(category, type) ? null : this.flawOfData(category, type, data));
  }

  flawOfData(category: string, type: string, data: unknown): string | null {
    return this.flaw(schemaOf(category, type), data);
  }

  private versionOf(category: string, type: string): number {
    const { schema } = this.ajv.getSchema(schemaOf(category, type)) ?? {};
    return typeof schema === 'object' ? Number(schema['x-version']) : 0;
  }

  private flaw(schema: string, value: unknown): string | null {
    const valid = this.compiled.get(schema) ?? this.compile(schema);
    return valid(value) ? null : `${schema}: ${this.ajv.errorsText(valid.errors)}`;
  }

  private compile(schema: string): ValidateFunction {
    const valid = this.ajv.getSchema(schema);
    if (!valid) throw new Error(`${schema} is not there: run npm run docs:events`);
    this.compiled.set(schema, valid);
    return valid;
  }
}
