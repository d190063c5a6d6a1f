import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Problem } from '#api/ops-kit/problem.js';
import { Answer } from '#api/shared/http/answer.js';
import { acceptedType } from '#api/shared/http/headers/accepted-type.js';

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';

/** Returns whether the caller prefers lines to a page. @throws Problem 406 */
export const wantsLines = (accept: string | undefined): boolean => {
  const type = acceptedType(accept, [JSON_TYPE, NDJSON_TYPE]);
  if (type === undefined) throw new Problem(406, `this call answers ${JSON_TYPE} and ${NDJSON_TYPE}`);
  return type === NDJSON_TYPE;
};

/** A page of items that are JSON texts. */
export const pageAnswer = (items: readonly string[], next: string | number | null): Answer =>
  new Answer(`{"items":[${items.join(',')}],"next":${JSON.stringify(next)}}`, { type: `${JSON_TYPE}; charset=utf-8`, vary: 'Accept' });

/** One item per line, at the client's speed. A later failure breaks the connection. */
export class LinesAnswer extends Answer {
  /** @param ended called at the end of the connection or of the list */
  constructor(
    private readonly portions: AsyncGenerator<readonly string[]>,
    private readonly ended: () => void,
  ) {
    super(undefined, { type: `${NDJSON_TYPE}; charset=utf-8`, vary: 'Accept' });
  }

  override send(reply: FastifyReply): Promise<void> | undefined {
    const { portions } = this;
    const lines = async function* (): AsyncGenerator<Buffer> {
      for await (const items of portions) {
        yield Buffer.from(`${items.join('\n')}\n`);
      }
    };
    const stream = Readable.from(lines(), { objectMode: false });
    let isEnded = false;
    const end = (): void => {
      if (isEnded) return;
      isEnded = true;
      stream.destroy();
      this.ended();
    };
    reply.raw.once('close', end);
    if (reply.raw.socket?.destroyed !== false) end(); // the client is already gone, without another event
    return new Answer(stream, this.options).send(reply);
  }
}
