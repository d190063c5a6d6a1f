import type { IncomingHttpHeaders } from 'node:http';
import type { CachedQuery } from '#api/shared/answers/cached-query.js';
import { foundOrAbsent } from '#api/shared/answers/found-or-absent.js';
import { cachedAccessKeys } from '#api/shared/http/cached-access-keys.js';
import type { Completeness } from '#infra/engine/projection-runner/completeness.js';
import type { CredentialHashes } from '#infra/stores/secrets/credential-hashes.js';
import { ACCESS_KEYS, type AccessKeyDocument } from '#projections/operations/access-keys/queries.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { type ConsoleSession, type ConsoleSessions, keyHashOf } from './console-sessions.js';

/** The valid keys of the operations service. Calls throw ReadStoreUnavailable. */
export class OpsKeys {
  private readonly keys: CachedQuery<AccessKeyDocument>;

  /** @param sessions `null` if this server has no console */
  constructor(
    store: ReadStore,
    private readonly completeness: Completeness,
    private readonly hashes: CredentialHashes,
    readonly sessions: ConsoleSessions | null,
  ) {
    this.keys = cachedAccessKeys(store);
  }

  /** Key of a request, from its header or a session of the console. */
  async ofRequest(headers: IncomingHttpHeaders): Promise<AccessKeyDocument | undefined> {
    const hash = await keyHashOf(headers, this.hashes, this.sessions);
    return hash === undefined ? undefined : this.withHash(hash);
  }

  ofSession({ keyHash }: ConsoleSession): Promise<AccessKeyDocument | undefined> {
    return this.withHash(keyHash);
  }

  ofText(key: string): Promise<AccessKeyDocument | undefined> {
    return this.withHash(this.hashes.of(key));
  }

  onApplicationShutdown(): void {
    this.keys.close();
    this.sessions?.close();
  }

  private async withHash(hash: string): Promise<AccessKeyDocument | undefined> {
    const found = await foundOrAbsent(this.completeness, [ACCESS_KEYS], () => this.keys.find(hash));
    return found?.service === 'ops' ? found : undefined;
  }
}
