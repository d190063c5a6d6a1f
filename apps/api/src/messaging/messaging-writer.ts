import type { FastifyRequest } from 'fastify';
import { RequestWriter } from '#api/shared/commands/request-writer.js';
import { contextOf } from '#api/shared/http/request-context.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { messagingCall } from './http-policy.js';

/** Commands in the name of whoever calls. */
export class MessagingWriter extends RequestWriter {
  override context(request: FastifyRequest): CommandContext {
    const { kind, actorId } = messagingCall(request).caller;
    return contextOf(request, 'messaging', { kind: kind === 'user' ? 'user' : 'key', id: actorId }, this.clock);
  }
}
