import type { Server, ServerOptions } from 'node:https';
import { type ConnectionOptions, createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from '#infra/platform/logging/logger.js';
import { contextOptionsOf, endOf, type KeyPair, type KeyPairFiles, peerOptionsOf, readKeyPair } from './key-pair.js';

/** How often the files are looked at, in milliseconds. Read as a whole: what replaces files (links of Kubernetes, renames) cannot be watched reliably. */
const LOOK_MS = 2_000;
/** For so long after a renewal other nodes may show the certificate before it, until each of them has the new files. */
const OVERLAP_MS = 10 * 60_000;

/** A server, or what stands before one: given the options of each new pair. */
type CertificateFollower = Pick<Server, 'setSecureContext'>;

/**
 * The certificate of this server and its key, as they are in the files now: a new pair counts for all connections from then on. One that cannot be used
 * changes nothing, but for the log and `/health`.
 */
export class ServerCertificate {
  private readonly timer: NodeJS.Timeout;
  private readonly followers = new Set<CertificateFollower>();
  private context: SecureContext;
  private peers: ConnectionOptions;
  private overlap: NodeJS.Timeout | undefined;
  /** Why the files could not be used at the last look; they may have been looked at while they were being replaced. */
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

  /** When the certificate in use ends. */
  get expires(): Date {
    return endOf(this.pair.certificate);
  }

  /** For `/health`. `trouble`: why what is in the files now is not in use. */
  get health(): Readonly<{ expires: string; trouble: string | null }> {
    return { expires: this.expires.toISOString(), trouble: this.trouble };
  }

  /** For servers. By their callback also those that do not {@link follow} have the newest pair for clients that say whom they call. */
  get serverOptions(): ServerOptions {
    return { ...contextOptionsOf(this.pair), SNICallback: (_name, done) => done(null, this.context) };
  }

  /** For servers with further options of their own, which {@link follow} the pair. */
  get contextOptions(): SecureContextOptions {
    return contextOptionsOf(this.pair);
  }

  /** For each call to another node: a renewal changes them. */
  get peerOptions(): ConnectionOptions {
    return this.peers;
  }

  /** The server shows each new pair. */
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
