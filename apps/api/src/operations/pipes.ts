import { isUtf8 } from 'node:buffer';
import type { PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { JsonReader } from '#api/shared/json/json-reader.js';
import type { Position } from '#domain/shared/events.js';
import { type MemberProblem, Problem } from './problem.js';

/** A call that needs no body. */
export class NoBody {}

/** Operations contract 0: every write says where in the log its last event stands. */
export const setPosition = (reply: FastifyReply, position: Position): void => {
  reply.header('logbook-position', `${position}`);
};

/** Longest body of a call of an operator, in bytes. */
const LONGEST_BODY = 16 * 1_024;

const REFUSED = 'the request is not as this call takes it';

/** The names of the members of a JSON object, each as often as it stands there. @throws Problem 400 */
const memberNames = (text: string): readonly string[] => {
  const names: string[] = [];
  try {
    const reader = JsonReader.over(text);
    if (reader.kind() !== 'object') throw new Problem(400, 'the body is not a JSON object');
    reader.object((name) => {
      names.push(name);
      reader.skipValue();
    });
  } catch (error) {
    throw error instanceof Problem ? error : new Problem(400, 'the body is not JSON');
  }
  return names;
};

const twice = (names: readonly string[]): readonly MemberProblem[] =>
  [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map((member) => ({ member, detail: 'is given twice' }));

/** The body as an instance of a class with rules of class-validator; members that it does not have are refused. No body counts as `{}`. */
export class OperatorBody<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly type: new () => T) {}

  /** @throws Problem 400 that names each wrong member; 413 */
  transform(body: unknown): T {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    if (!isUtf8(bytes)) throw new Problem(400, 'the body is not UTF-8');
    if (bytes.length > LONGEST_BODY) throw new Problem(413, `the body may have ${LONGEST_BODY} bytes`);
    const text = bytes.length === 0 ? '{}' : bytes.toString('utf8');
    const names = memberNames(text);
    const given = plainToInstance(this.type, JSON.parse(text));
    const wrong = validateSync(given, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
    const problems = wrong.map(({ property, constraints }) => ({
      member: property,
      detail: Object.values(constraints ?? {})[0] ?? 'is wrong',
    }));
    const strange = names
      .filter((name) => !Object.hasOwn(given, name))
      .map((member) => ({ member, detail: `property ${member} should not exist` }));
    const all = [...twice(names), ...strange, ...problems];
    if (all.length > 0) throw new Problem(400, REFUSED, all);
    return given;
  }
}

/** For calls without query parameters: a mistyped one must not look like an answer. */
export class NoQuery implements PipeTransform<Readonly<Record<string, unknown>>, object> {
  /** @throws Problem 400 */
  transform(query: Readonly<Record<string, unknown>>): object {
    const unknown = Object.keys(query);
    if (unknown.length > 0)
      throw new Problem(
        400,
        REFUSED,
        unknown.map((member) => ({ member, detail: 'this call has no such parameter' })),
      );
    return {};
  }
}
