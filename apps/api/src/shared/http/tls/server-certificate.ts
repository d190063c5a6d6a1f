import type { Server, ServerOptions } from 'node:https';
import { type ConnectionOptions, createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from '#infra/platform/logging/logger.js';
import { contextOptionsOf, endOf, type KeyPair, type KeyPairFiles, peerOptionsOf, readKeyPair } from './key-pair.js';

/** Interval between reads of the files, in milliseconds, because replacements (links of Kubernetes, renames) cannot be watched reliably. */
const LOOK_MS = 2_000;
/** For this time after a renewal other nodes may present the previous certificate, until each of them has the new files. */
const OVERLAP_MS = 10 * 60_000;

/** A server, or a wrapper of one, that gets the options of each new pair. */
type CertificateFollower = Pick<Server, 'setSecureContext'>;

/**
 * Certificate and key of this server, according to the current files: a new pair applies to all later connections. One that cannot be used
 * changes nothing, but is reported in the log and `/health`.
 */
export class ServerCertificate {
  private readonly timer: NodeJS.Timeout;
  private readonly followers = new Set<CertificateFollower>();
  private context: SecureContext;
  private peers: ConnectionOptions;
  private overlap: NodeJS.Timeout | undefined;
  /** Reason why the files could not be used at the last read, perhaps because they were being replaced. */
  private doubt: string | null = null;
  private trouble: string | null = null;

  private constructor(
    private readonly files: KeyPairFiles,
    private pair: KeyPair,
    private readonly log: Pick<Logger, 'info' | 'error'>,
  ) {
    this.context = createSecureContext(contextOptionsOf(pair));
    this.peers = peerOptionsOf(pair);
    this.timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** @throws InvalidConfiguration the pair cannot be used */
  static async open(files: KeyPairFiles, log: Pick<Logger, 'info' | 'error'>): Promise<ServerCertificate> {
    return new ServerCertificate(files, await readKeyPair(files), log);
  }

  /** End of the certificate in use. */
  get expires(): Date {
    return endOf(this.pair.certificate);
  }

  /** For `/health`. `trouble`: reason why the current files are not in use. */
  get health(): Readonly<{ expires: string; trouble: string | null }> {
    return { expires: this.expires.toISOString(), trouble: this.trouble };
  }

  /** For servers. Their SNI callback gives even those that do not {@link follow} the newest pair, for clients that send a server name. */
  get serverOptions(): ServerOptions {
    return { ...contextOptionsOf(this.pair), SNICallback: (_name, done) => done(null, this.context) };
  }

  /** For servers with other options of their own, which {@link follow} the pair. */
  get contextOptions(): SecureContextOptions {
    return contextOptionsOf(this.pair);
  }

  /** For each call to another node, because a renewal changes them. */
  get peerOptions(): ConnectionOptions {
    return this.peers;
  }

  /** Gives the server each new pair. */
  follow(server: CertificateFollower): void {
    this.followers.add(server);
  }

  close(): void {
    clearInterval(this.timer);
    clearTimeout(this.overlap);
  }

  private async look(): Promise<void> {
    try {
      const pair = await readKeyPair(this.files);
      this.doubt = null;
      this.trouble = null;
      if (pair.cert.equals(this.pair.cert) && pair.key.equals(this.pair.key)) return;
      this.replaceBy(pair);
      this.log.info({ expires: this.health.expires }, 'the TLS certificate was replaced');
    } catch (error) {
      this.refuse(error instanceof Error ? error.message : String(error));
    }
  }

  private replaceBy(pair: KeyPair): void {
    const before = this.pair;
    this.pair = pair;
    this.context = createSecureContext(contextOptionsOf(pair));
    for (const server of this.followers) server.setSecureContext(contextOptionsOf(pair));
    this.peers = peerOptionsOf(pair, before);
    clearTimeout(this.overlap);
    this.overlap = setTimeout(() => {
      this.peers = peerOptionsOf(pair);
    }, OVERLAP_MS).unref();
  }

  private refuse(reason: string): void {
    if (reason === this.doubt && reason !== this.trouble) {
      this.trouble = reason;
      this.log.error({ reason, expires: this.health.expires }, 'the new TLS certificate cannot be used: the one before it stays');
    }
    this.doubt = reason;
  }
}
