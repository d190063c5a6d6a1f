/** Every planted text has this in it, so that one search finds them all. */
const SIGN = 'Zq7xPlanted';

/** Secrets and personal data of a journey: planted ones, and those that the server made. */
export class Markers {
  private readonly made = new Map<string, string>();
  private numbered = 0;

  get count(): number {
    return this.numbered + this.made.size;
  }

  /** A text that is nowhere else; `what` is for messages. */
  plant(what: string): string {
    this.numbered += 1;
    return `${SIGN}-${this.numbered}-${what.replaceAll(' ', '-')}-end`;
  }

  email(what: string): string {
    return `${this.plant(what)}@example.org`;
  }

  /** With credentials in the user info and in the query. */
  url(what: string): string {
    const [user, password, key] = ['user', 'password', 'query'].map((part) => this.plant(`${what} ${part}`));
    return `https://${user}:${password}@receiver.example.org:8443/in?key=${key}`;
  }

  /** Something that an answer showed as a secret. @throws unless it is a text of at least 16 characters */
  keep(what: string, secret: unknown): string {
    if (typeof secret !== 'string' || secret.length < 16) throw new Error(`${what} is no secret: ${JSON.stringify(secret)}`);
    this.made.set(secret, what);
    return secret;
  }

  /** Whatever of it stands in the bytes, in UTF-8, UTF-16, base64, base64url or hex; nothing = no trace. */
  tracesIn(bytes: Buffer): readonly string[] {
    const wanted: readonly (readonly [string, string])[] = [
      ['planted', SIGN],
      ...[...this.made].map(([secret, what]) => [what, secret] as const),
    ];
    return wanted.flatMap(([what, text]) =>
      formsOf(text).flatMap(([form, needle]) => {
        const at = bytes.indexOf(needle);
        if (at < 0) return [];
        const around = bytes.subarray(Math.max(0, at - 40), at + needle.length + 60);
        return [`${what} as ${form}: ${JSON.stringify(around.toString('latin1').replaceAll('\0', ''))}`];
      }),
    );
  }
}

/** Inside of a longer base64 text, whatever stands before it: the characters that depend on the text alone. */
const base64Forms = (text: string, encoding: 'base64' | 'base64url'): readonly (readonly [string, Buffer])[] =>
  [0, 1, 2].map((before) => {
    const encoded = Buffer.from('\0'.repeat(before) + text)
      .toString(encoding)
      .replaceAll('=', '');
    const start = Math.ceil((before * 4) / 3);
    return [encoding, Buffer.from(encoded.slice(start, Math.floor(((before + text.length) * 4) / 3)))] as const;
  });

const formsOf = (text: string): readonly (readonly [string, Buffer])[] => {
  const utf8 = Buffer.from(text);
  return [
    ['text', utf8],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['UTF-16 (big end first)', Buffer.from(text, 'utf16le').swap16()],
    ['hex', Buffer.from(utf8.toString('hex'))],
    ['hex', Buffer.from(utf8.toString('hex').toUpperCase())],
    ...base64Forms(text, 'base64'),
    ...base64Forms(text, 'base64url'),
  ];
};
