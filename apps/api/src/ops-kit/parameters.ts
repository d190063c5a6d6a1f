import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contextOf } from '#api/shared/http/request-context.js';
import type { CommandContext } from '#domain/shared/execution.js';

/** A call as handlers of `/ops` and `/audit` see it. */
export class OpsCall {
  /** @param reply for its headers and status: Nest sends the returned answer */
  constructor(
    readonly request: FastifyRequest,
    readonly reply: FastifyReply,
  ) {}

  get context(): CommandContext {
    return contextOf(this.request, 'ops', { kind: 'key', id: this.request.operator?.keyId ?? '' });
  }
}

export const Call = createParamDecorator((_data: unknown, host: ExecutionContext) => {
  const http = host.switchToHttp();
  return new OpsCall(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
});
