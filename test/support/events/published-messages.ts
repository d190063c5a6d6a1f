import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** Compares messages with what docs/asyncapi.json says about them. */
export class PublishedMessages {
  private readonly ajv = new Ajv2020({ strict: false });

  constructor() {
    this.ajv.addSchema(JSON.parse(readFileSync('docs/asyncapi.json', 'utf8')), 'asyncapi');
  }

  /** What is wrong with a message; `null`: nothing. */
  flawOf(message: 'statusChange' | 'deadLetter', headers: unknown, payload: unknown): string | null {
    const place = `asyncapi#/components/messages/${message}`;
    const flaw = (part: string, value: unknown): string | null =>
      this.ajv.validate(`${place}/${part}`, value) ? null : this.ajv.errorsText(this.ajv.errors);
    return flaw('headers', headers) ?? flaw('payload', payload);
  }
}
