import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { InvalidConfiguration } from '#infra/platform/config/configuration.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import { contentOf } from './key-pair.js';
import { endOfRevocationList } from './revocation-list.js';

/** Paths of PEM files: authorities of accepted client certificates, and their revocation lists. */
type AuthorityFiles = Readonly<{ caFile: string; crlFile?: string }>;

/** Trust for client certificates. `crl`: one text for each list; `crlEnds`: the earliest end of a list. */
type ClientTrust = Readonly<{ ca: Buffer; crl?: readonly string[]; crlEnds?: Date }>;

const CA = 'LOGBOOK_X509_CA_FILE';
const CRL = 'LOGBOOK_X509_CRL_FILE';
/** Interval between reads of the files, in milliseconds. */
const LOOK_MS = 2_000;
/** Maximum bytes of a file: all lists of the grid's authorities are a few MiB. */
const MOST_BYTES = 32 * 1024 * 1024;

const invalid = (variable: string, flaw: string) =>
  new InvalidConfiguration(`wrong configuration: the file of ${variable} ${flaw}`, [variable]);

const blocksOf = (pem: Buffer, label: string): readonly string[] =>
  pem.toString('latin1').match(new RegExp(`-----BEGIN ${label}-----[^-]*-----END ${label}-----`, 'g')) ?? [];

const derOf = (block: string): Buffer => Buffer.from(block.replace(/-----[^-]*-----/g, ''), 'base64');

const readBounded = async (variable: string, path: string): Promise<Buffer> => {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0, // the read reports the reason
  );
  if (size > MOST_BYTES) throw invalid(variable, `has more than ${MOST_BYTES} bytes`);
  return contentOf(variable, path);
};

const checked = (variable: string, flaw: string, check: () => void): void => {
  try {
    check();
  } catch {
    throw invalid(variable, flaw);
  }
};

type Contents = Readonly<{ ca: Buffer; crl: Buffer | undefined }>;

/** @throws InvalidConfiguration a file cannot be read, or is too large */
const contentsOf = async ({ caFile, crlFile }: AuthorityFiles): Promise<Contents> => ({
  ca: await readBounded(CA, caFile),
  crl: crlFile === undefined ? undefined : await readBounded(CRL, crlFile),
});

const areSame = (one: Contents, other: Contents): boolean =>
  one.ca.equals(other.ca) && (one.crl === undefined || other.crl === undefined || one.crl.equals(other.crl));

/** @throws InvalidConfiguration a file has other content */
const trustIn = ({ ca, crl }: Contents): ClientTrust => {
  const authorities = blocksOf(ca, '(?:TRUSTED )?CERTIFICATE');
  checked(CA, 'holds no certificates in PEM', () => {
    if (authorities.length === 0) throw new Error('empty');
    for (const one of authorities) new X509Certificate(one);
  });
  if (crl === undefined) return { ca };
  const lists = blocksOf(crl, 'X509 CRL');
  checked(CRL, 'holds no revocation lists in PEM', () => {
    if (lists.length === 0) throw new Error('empty');
    createSecureContext({ crl: [...lists] });
  });
  const ends = lists.flatMap((one) => endOfRevocationList(derOf(one))?.getTime() ?? []);
  return { ca, crl: lists, ...(ends.length > 0 && { crlEnds: new Date(Math.min(...ends)) }) };
};

/** Checks the files at the start. @throws InvalidConfiguration the files cannot be used */
export const requireClientTrust = async (files: AuthorityFiles): Promise<void> => {
  trustIn(await contentsOf(files));
};

/** Authorities of client certificates and their revocations, according to the current files. Files that cannot be used change nothing. */
export class ClientAuthorities {
  private readonly timer: NodeJS.Timeout;
  private readonly followers = new Set<() => void>();
  private trouble: string | null = null;

  private constructor(
    private readonly files: AuthorityFiles,
    /** Contents of the files that are in use. */
    private contents: Contents,
    private inUse: ClientTrust,
    private readonly log: Pick<Logger, 'info' | 'error'>,
  ) {
    this.timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** @throws InvalidConfiguration */
  static async open(files: AuthorityFiles, log: Pick<Logger, 'info' | 'error'>): Promise<ClientAuthorities> {
    const contents = await contentsOf(files);
    return new ClientAuthorities(files, contents, trustIn(contents), log);
  }

  get trust(): ClientTrust {
    return this.inUse;
  }

  /** For `/health`. `trouble`: reason why the current files are not in use. */
  get health(): Readonly<{ crlExpires: string | null; trouble: string | null }> {
    return { crlExpires: this.inUse.crlEnds?.toISOString() ?? null, trouble: this.trouble };
  }

  /** Calls `changed` after each change. */
  follow(changed: () => void): void {
    this.followers.add(changed);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    try {
      const contents = await contentsOf(this.files);
      const isNew = !areSame(contents, this.contents);
      if (isNew) this.inUse = trustIn(contents);
      this.contents = contents;
      this.trouble = null;
      if (!isNew) return;
      for (const changed of this.followers) changed();
      this.log.info({ crlExpires: this.health.crlExpires }, 'authorities of client certificates were replaced');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.trouble) this.log.error({ reason }, 'new authorities of client certificates cannot be used: those before stay');
      this.trouble = reason;
    }
  }
}
