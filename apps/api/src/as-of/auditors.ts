import type { FastifyRequest } from 'fastify';
import { type ConsoleSessions, keyHashOf } from '#api/ops-kit/console-sessions.js';
import type { ReadTrail } from '#api/ops-kit/read-trail.js';
import type { CachedQuery } from '#api/shared/answers/cached-query.js';
import { noAuditor } from '#api/shared/as-of/as-of-refused.js';
import type { PastCall } from '#api/shared/as-of/past-call.js';
import { cachedAccessKeys } from '#api/shared/http/cached-access-keys.js';
import { auditedPath } from '#api/shared/http/paths/logged-path.js';
import { conversationOf } from '#api/shared/http/request-context.js';
import type { Clock } from '#domain/shared/clock.js';
import type { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import type { AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';

/** Admits auditors to the services, in which they have no account (operations contract 5). */
export class Auditors {
  private readonly keys: CachedQuery<AccessKeyDocument>;

  /** @param live the present read store @param sessions `null` if this server has no console */
  constructor(
    live: ReadStore,
    private readonly hashes: CredentialHashes,
    private readonly reads: Pick<ReadTrail, 'record'>,
    private readonly clock: Clock,
    private readonly sessions: ConsoleSessions | null,
  ) {
    this.keys = cachedAccessKeys(live);
  }

  /** Stores in the call whether the request has an auditor's key. @throws AsOfRefused for another key of the operations service */
  async recognize({ headers }: FastifyRequest, call: PastCall): Promise<void> {
    const hash = await keyHashOf(headers, this.hashes, this.sessions);
    const key = hash === undefined ? undefined : await this.keys.find(hash);
    if (key?.service === 'ops' && !key.roles.includes('auditor')) throw noAuditor();
    call.auditor = key?.service === 'ops' ? { keyId: key.keyId, name: key.name } : undefined;
  }

  /** Resolves once this read of an auditor is recorded. */
  async record(request: FastifyRequest, { auditor, point, requestId }: PastCall): Promise<void> {
    if (!auditor) return;
    const position = `${point?.moment?.position ?? 0n}`;
    await this.reads.record(
      { type: 'AsOfRead', data: { path: auditedPath(request), position, requestId } },
      {
        actor: { kind: 'key', id: auditor.keyId },
        service: 'ops',
        ...conversationOf(request),
        time: new Date(this.clock()).toISOString(),
      },
    );
  }

  close(): void {
    this.keys.close();
    this.sessions?.close();
  }
}
