import type { FastifyRequest } from 'fastify';
import { RequestWriter } from '#api/shared/commands/request-writer.js';
import { contextOf } from '#api/shared/http/request-context.js';
import type { CommandContext } from '#infra/stream-processor/execution.js';
import { tenantAdmission } from './http-policy.js';

/** Commands in the name of the tenant's user who calls. */
export class TenantWriter extends RequestWriter {
  override context(request: FastifyRequest): CommandContext {
    return contextOf(request, 'status', { kind: 'user', id: tenantAdmission(request).caller.actorId }, this.clock);
  }
}
