import type { FastifyRequest } from 'fastify';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { contextOf } from '../shared/request-context.js';
import { RequestWriter } from '../shared/request-writer.js';
import { messagingCall } from './messaging-edge.js';

/** Commands in the name of whoever calls. */
export class MessagingWriter extends RequestWriter {
  override context(request: FastifyRequest): CommandContext {
    const { kind, actorId } = messagingCall(request).caller;
    return contextOf(request, 'messaging', { kind: kind === 'user' ? 'user' : 'key', id: actorId }, this.clock);
  }
}
